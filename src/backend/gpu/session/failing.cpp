// SPDX-License-Identifier: Apache-2.0
// What becomes of the steps of a run when one fails.
#include <fmt/format.h>

#include <algorithm>

#include "backend/gpu/session/gpu_session.hpp"

namespace gemmill {

void GpuSession::note_lost(int fault, int gpu) const {
    if (driver_.fault(fault) == GpuFault::lost) state_.lost.add(gpu);
}

/// Whether a step waits for another GPU that was lost: that is why it failed.
bool GpuSession::waits_for_lost(const Job& job) const {
    return std::ranges::any_of(job.waits, [&](StepId wait) {
        const int gpu = lane_of(jobs_[index(wait)]).device;
        return gpu != lane_of(job).device && state_.lost.has(gpu);
    });
}

void GpuSession::fail(StepId id, int fault) {
    Job& job = jobs_[index(id)];
    failed_ = job.broken = true;
    if (!waits_for_lost(job)) note_lost(fault, lane_of(job).device);
    Completion failure;
    failure.step = id;
    const bool lost = driver_.fault(fault) == GpuFault::lost;
    failure.code = lost ? Code::no_device : Code::failed_step;
    failure.text = fmt::format("{}: {}", driver_.name, driver_.words(fault));
    failures_.push_back(std::move(failure));
    drop_doomed();
}

/// Whether a step never starts: one that it waits for, or that is before it in its stream, does
/// not.
bool GpuSession::is_doomed(const Job& job) const {
    const auto doomed = [&](StepId wait) { return jobs_[index(wait)].doomed; };
    return failed_ && job.event == nullptr && !job.released &&
           (doomed_[static_cast<std::size_t>(stream_of(job.queue))] ||
            std::ranges::any_of(job.waits, doomed));
}

/// What never starts gives back its slots, which others may wait for.
void GpuSession::drop_doomed() {
    for (Job& job : jobs_) {
        if (job.queue < 0) continue;
        job.doomed = job.doomed || job.broken || is_doomed(job);
        if (!job.doomed) continue;
        doomed_[static_cast<std::size_t>(stream_of(job.queue))] = true;
        if (job.move && !job.released) state_.staging.cancel(*job.move);
        if (!job.released) job.move.reset();
    }
}

}  // namespace gemmill
