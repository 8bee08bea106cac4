// SPDX-License-Identifier: Apache-2.0
#include "api/learn/cpu_ratios.hpp"

#include <algorithm>
#include <cmath>

#include "machine/reach.hpp"
#include "plan/access.hpp"
#include "schedule/options.hpp"
#include "task/problem.hpp"

namespace gemmill {
namespace {

/// Each time that the slower way is still slower it is tried after twice as many calls, up to this:
/// it costs what it is slower, ever more rarely.
constexpr int longest_wait = 1024;

/// Half of it is the last value.
void filter(double& value, double seen) { value = value > 0 ? (value + seen) / 2 : seen; }

}  // namespace

SharedRun shared_run(const Plan& plan, const Timeline& timeline, double seconds) {
    SharedRun run;
    run.seconds = seconds;
    for (std::size_t i = 0; i < plan.steps.size(); ++i) {
        const Step& step = plan.steps[i];
        const Queue& queue = plan.queues[static_cast<std::size_t>(step.queue)];
        const bool computes = queue.kind == QueueKind::compute;
        if (computes && is_host_device(plan.machine, queue.index)) {
            run.cpu_flops += flops_of(plan, step);
            run.cpu_seconds += timeline[i].end - timeline[i].begin;
        } else {
            run.gpu_flops += computes ? flops_of(plan, step) : 0;
            run.gpu_seconds = std::max(run.gpu_seconds, timeline[i].end);
        }
    }
    return run;
}

CpuRatios::Class CpuRatios::class_of(const Problem& p) {
    return {p.routine, p.type, p.home, static_cast<int>(std::log2(std::max(1.0, flops_of(p))))};
}

double CpuRatios::part_for(const Problem& problem) {
    const std::lock_guard lock(mutex_);
    const Known& known = known_[class_of(problem)];
    if (known.calls == 1) return 0;
    if (known.part < 0) return known.probes() ? ScheduleOptions::probe : ScheduleOptions::by_rate;
    if (known.joint == 0 || known.alone == 0) return known.part;
    return known.pays() != known.probes() ? known.part : 0;
}

/// Who was slower and is still so is asked again later; who turns out to be faster is watched.
void CpuRatios::Known::probed(bool paid) {
    since = 0;
    wait = pays() == paid ? std::min(2 * wait, longest_wait) : first_wait;
}

/// The CPU never had a part, and had none again.
void CpuRatios::Known::note_nothing() {
    if (!probes()) {
        ++since;
        return;
    }
    since = 0;
    wait = std::min(2 * wait, longest_wait);
}

void CpuRatios::note(const Problem& problem, const SharedRun& run) {
    const std::lock_guard lock(mutex_);
    Known& known = known_[class_of(problem)];
    // The first call also pays for memory and streams, which says nothing of the others.
    const bool counts = known.calls++ > 0;
    const double all = run.cpu_flops + run.gpu_flops, each = run.seconds / std::max(all, 1.0);
    const bool alone = run.cpu_flops <= 0 || run.cpu_seconds <= 0 || run.gpu_seconds <= 0;
    const bool paid = known.pays(), both = known.joint > 0 && known.alone > 0;
    const bool probe = both && paid == alone;
    double& value = alone ? known.alone : known.joint;
    if (probe) value = 0;  // what was long ago says nothing of now
    if (counts) filter(value, each);
    if (both) ++known.since;
    if (probe) known.probed(paid);
    if (alone) {
        if (known.part < 0) known.note_nothing();
        return;
    }
    if (known.part < 0) known.since = 0;
    const double c = run.cpu_flops / run.cpu_seconds, g = run.gpu_flops / run.gpu_seconds;
    known.part = (run.cpu_flops / all + c / (c + g)) / 2;
}

}  // namespace gemmill
