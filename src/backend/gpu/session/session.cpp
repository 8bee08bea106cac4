// SPDX-License-Identifier: Apache-2.0
#include "backend/gpu/session/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <thread>
#include <utility>

#include "backend/gpu/session/gpu_session.hpp"

namespace gemmill {
namespace {

/// Whoever asks for the next step that ends decides by it what to do next. A thread that sleeps is
/// late by several times its pause, so it stays awake for as long as a small kernel takes.
constexpr std::chrono::microseconds poll_pause{10}, stays_awake{200};

/// Until the next look; others need the lock meanwhile. `start` is when somebody began to wait.
void pause(std::chrono::steady_clock::time_point start) {
    const auto now = [] { return std::chrono::steady_clock::now(); };
    const auto begin = now();
    if (begin - start >= stays_awake) return std::this_thread::sleep_for(poll_pause);
    while (now() - begin < poll_pause) std::this_thread::yield();
}

/// Where the steps of a queue read and write.
std::array<MemoryId, 2> memories_of(const Plan& plan, const Queue& queue) {
    const auto index = static_cast<std::size_t>(queue.index);
    if (queue.kind == QueueKind::transfer)
        return {plan.machine.links[index].from, plan.machine.links[index].to};
    return {plan.machine.devices[index].memory, plan.machine.devices[index].memory};
}

}  // namespace

GpuSession::GpuSession(GpuBackend::State& state, const Plan& plan, const Binding& binding)
    : state_(state),
      driver_(state.driver()),
      desk_(state.desks, plan),
      range_(driver_, plan.policy.c_str()),
      plan_(plan),
      binding_(binding),
      lanes_(desk_.lanes()),
      slabs_(desk_.slabs()),
      events_(binding.timed ? state.timed : state.plain),
      clocks_(driver_, state.timed, state.lanes),
      places_(state, plan, binding, lanes_),
      order_(plan.queues.size()),
      lines_(plan.queues.size()),
      doomed_(plan.queues.size()) {
    if (binding_.timed)
        for (const Lane& lane : lanes_) clocks_.start(lane.device);
}

GpuSession::~GpuSession() {
    close();
    for (const Job& job : jobs_)
        if (job.event != nullptr) events_.give(lane_of(job).device, job.event);
}

void GpuSession::submit(StepId id) {
    const Step& step = plan_.steps[index(id)];
    const std::lock_guard lock(mutex_);
    idle_ = false;
    if (index(id) >= jobs_.size()) jobs_.resize(index(id) + 1);
    Job& job = jobs_[index(id)];
    job.task = make_task(plan_, step, binding_, slabs_);
    job.queue = step.queue;
    const auto waits = waits_of(plan_, step);
    job.waits.assign(waits.begin(), waits.end());
    job.doomed = is_doomed(job);
    if (places_.by_slots(step) && !job.doomed) {
        job.sees = writes_seen(step);
        if (job.sees.empty()) announce(id, job);
        if (step.op == Opcode::write) writes_.push_back(id);
    }
    order_.submit(id, stream_of(step.queue), waits, startable_);
    start_all();
}

std::optional<Completion> GpuSession::next() {
    std::unique_lock lock(mutex_);
    for (const auto start = std::chrono::steady_clock::now();;) {
        if (!failures_.empty()) {
            Completion failure = std::move(failures_.front());
            failures_.pop_front();
            return failure;
        }
        if (auto done = take_ended()) return done;
        if (due_ == 0 && std::ranges::all_of(lines_, &Line::empty)) return std::nullopt;
        lock.unlock();
        pause(start);
        lock.lock();
    }
}

bool GpuSession::wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return due_ == 0; });
    const auto ends = [&](const Line& line) {
        return line.empty() || driver_.synchronize(jobs_[index(line.back())].event) == 0;
    };
    idle_ = failures_.empty() && std::ranges::all_of(lines_, ends);
    return idle_;
}

/// A step that ended since it was last asked. A fault shows at the first step behind it.
std::optional<Completion> GpuSession::take_ended() {
    for (Line& line : lines_) {
        if (line.empty() || !jobs_[index(line.front())].on_host) continue;
        const StepId id = line.front();
        bool done = jobs_[index(id)].arrived;  // whatever became of the device since
        const int fault = done ? 0 : driver_.query(jobs_[index(id)].event, &done);
        if (fault == 0 && !done) continue;
        line.pop_front();
        if (fault == 0) return Completion{id, time_of(id), Code::ok, {}};
        fail(id, fault);
        std::erase_if(line, [&](StepId other) { return !jobs_[index(other)].arrived; });
        Completion failure = std::move(failures_.back());
        failures_.pop_back();
        return failure;
    }
    return std::nullopt;
}

/// In a stream a step begins when it is there and all before it and all it waits for have
/// ended. What the CPU then does with slots is not counted: nothing in a stream waits for it.
const StepTime& GpuSession::time_of(StepId id) {
    Job& job = jobs_[index(id)];
    if (job.time) return *job.time;
    if (!binding_.timed) return job.time.emplace();
    StepTime time;
    time.begin = job.start;
    if (job.before >= 0) time.begin = std::max(time.begin, time_of(job.before).end);
    for (const StepId wait : job.waits) time.begin = std::max(time.begin, time_of(wait).end);
    const double end = clocks_.time_of(lane_of(job).device, job.event);
    // Clocks of two devices differ a little; what is known of the order does not.
    time.end = std::max(end, time.begin);
    job.time = time;
    return *job.time;
}

/// After it neither threads nor streams touch the operands.
void GpuSession::close() {
    std::unique_lock lock(mutex_);
    closed_ = true;
    // First those that will never start: they hold slots that others may need.
    for (Job& job : jobs_)
        if (job.move && !job.released) state_.staging.cancel(*job.move);
    changed_.wait(lock, [&] { return due_ == 0; });
    for (const Line& line : lines_)
        if (!line.empty() && !idle_) driver_.synchronize(jobs_[index(line.back())].event);
    // A step that failed may have left a part of itself in its stream.
    if (failed_)
        for (const Lane& lane : lanes_) drain(lane);
}

void GpuSession::drain(const Lane& lane) {
    GpuEvent* event = nullptr;
    if (events_.take(lane.device, &event) != 0) return;
    if (driver_.record(event, lane.stream) == 0) driver_.synchronize(event);
    events_.give(lane.device, event);
}

std::unique_ptr<Session> open_gpu_session(GpuBackend::State& state, const Plan& plan,
                                          const Binding& binding, GpuRun& run) {
    for (const Queue& queue : plan.queues)
        for (const MemoryId memory : memories_of(plan, queue))
            require(!state.lost.has(state.ordinal(memory)), Code::no_device, "a working device",
                    fmt::format("{}: {} was lost; this process cannot use it any more",
                                state.driver().name,
                                plan.machine.memories[static_cast<std::size_t>(memory)].name));
    auto session = std::make_unique<GpuSession>(state, plan, binding);
    run = session->run();
    return session;
}

}  // namespace gemmill
