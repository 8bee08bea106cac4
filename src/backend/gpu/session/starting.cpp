// SPDX-License-Identifier: Apache-2.0
// How steps of a run come into their streams.
#include <algorithm>

#include "backend/gpu/session/gpu_session.hpp"
#include "plan/access.hpp"

namespace gemmill {

/// Queues that share a stream are one queue: none overtakes another while slots are packed. The
/// first of them stands for it.
QueueId GpuSession::stream_of(QueueId queue) const {
    const GpuStream* stream = lanes_[static_cast<std::size_t>(queue)].stream;
    return static_cast<QueueId>(std::ranges::find(lanes_, stream, &Lane::stream) - lanes_.begin());
}

/// Only what is solved is read after it was written.
std::vector<StepId> GpuSession::writes_seen(const Step& step) const {
    std::vector<StepId> seen;
    if (step.op != Opcode::fetch || !plan_.goal.solves) return seen;
    const Tile& block = plan_.tiles[index(step.in[0].tile)];
    for (const StepId write : writes_)
        if (overlap(plan_.tiles[index(plan_.steps[index(write)].out.tile)], block))
            seen.push_back(write);
    return seen;
}

void GpuSession::announce(StepId id, Job& job) {
    const auto& args = std::get<CopyArgs>(job.task.work);
    if (args.rows == 0 || args.cols == 0) return;
    job.move = std::make_unique<Staging::Move>();
    Staging::Move& move = *job.move;
    move.args = args;
    move.lane = lane_of(job);
    move.to_device = plan_.steps[index(id)].op == Opcode::fetch;
    move.new_pages = places_.pageable(plan_.steps[index(id)]);
    move.issued = [this, id](int fault) {
        const std::lock_guard lock(mutex_);
        issued(id, fault);
        start_all();
        end_call();
    };
    move.ended = [this, id](int fault) {
        const std::lock_guard lock(mutex_);
        Job& done = jobs_[index(id)];
        done.on_host = true;
        done.arrived = fault == 0;
        if (fault != 0 && !done.broken) {
            std::erase(lines_[static_cast<std::size_t>(done.queue)], id);
            fail(id, fault);
        }
        retry_deferred();
        end_call();
    };
    job.on_host = move.to_device;
    state_.staging.begin(move);
}

void GpuSession::retry_deferred() {
    startable_.insert(startable_.end(), deferred_.begin(), deferred_.end());
    deferred_.clear();
    start_all();
}

/// A call from the staging threads is over.
void GpuSession::end_call() {
    --due_;
    changed_.notify_all();
}

void GpuSession::start_all() {
    for (std::size_t i = 0; i < startable_.size() && !closed_; ++i) start(startable_[i]);
    startable_.clear();
}

void GpuSession::start(StepId id) {
    Job& job = jobs_[index(id)];
    const auto there = [&](StepId write) {
        return jobs_[index(write)].on_host && !jobs_[index(write)].broken;
    };
    if (!std::ranges::all_of(job.sees, there)) {
        deferred_.push_back(id);
        return;
    }
    job.start = clocks_.now();
    int fault = wait_for_others(job);
    if (fault == 0 && job.move) fault = issue_border(driver_, lane_of(job), job.task.border);
    if (fault == 0 && job.move) {
        job.released = true;
        due_ += job.move->to_device ? 1 : 2;
        const std::optional<int> all = state_.staging.release(*job.move);
        if (!all) return;
        --due_;
        fault = *all;
    } else if (fault == 0) {
        fault = issue(driver_, lane_of(job), job.task);
    }
    issued(id, fault);
}

int GpuSession::wait_for_others(const Job& job) {
    for (const StepId wait : job.waits) {
        const Job& other = jobs_[index(wait)];
        if (lane_of(other).stream == lane_of(job).stream) continue;
        const int fault = driver_.wait(lane_of(job).stream, other.event);
        if (fault == 0) continue;
        note_lost(fault, lane_of(other).device);  // one's own shows when it is recorded
        return fault;
    }
    return 0;
}

/// All of a step is in its stream, or it failed on the way and what waits for it never starts.
void GpuSession::issued(StepId id, int fault) {
    Job& job = jobs_[index(id)];
    GpuEvent* event = nullptr;
    if (fault == 0) fault = events_.take(lane_of(job).device, &event);
    if (fault == 0) {
        job.event = event;
        fault = driver_.record(event, lane_of(job).stream);
    }
    if (fault != 0) {
        fail(id, fault);
        return;
    }
    const auto queue = static_cast<std::size_t>(job.queue);
    lines_[queue].push_back(id);
    StepId& last = last_[lane_of(job).stream];  // one more than the step; 0: none
    job.before = std::exchange(last, id + 1) - 1;
    order_.complete(id, startable_);
}

}  // namespace gemmill
