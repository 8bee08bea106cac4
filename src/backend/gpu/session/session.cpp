// SPDX-License-Identifier: Apache-2.0
// A step is issued (put into its stream) once all it waits for is issued, not ended: the GPU does
// the waiting. Only copies through pinned slots are issued later than they are submitted, and what
// waits for them is held back until then. What was written to pageable memory and is read again
// (blocks that are solved) is copied without slots, once all of it has reached the host.
#include "backend/gpu/session/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <thread>
#include <utility>

#include "backend/gpu/session/clocks.hpp"
#include "backend/gpu/session/issue.hpp"
#include "backend/gpu/staging/places.hpp"
#include "plan/access.hpp"
#include "plan/order.hpp"

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

class GpuSession final : public Session {
  public:
    GpuSession(GpuBackend::State& state, const Plan& plan, const Binding& binding)
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

    ~GpuSession() override {
        close();
        for (const Job& job : jobs_)
            if (job.event != nullptr) events_.give(lane_of(job).device, job.event);
    }

    void submit(StepId id) override {
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

    std::optional<Completion> next() override {
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

    bool wait() override {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return due_ == 0; });
        const auto ends = [&](const Line& line) {
            return line.empty() || driver_.synchronize(jobs_[index(line.back())].event) == 0;
        };
        idle_ = failures_.empty() && std::ranges::all_of(lines_, ends);
        return idle_;
    }

    GpuRun run() const { return {slabs_, clocks_.begin()}; }

  private:
    using Line = std::deque<StepId>;

    struct Job {
        Task task;
        QueueId queue = -1;
        std::vector<StepId> waits;
        std::vector<StepId> sees;   // writes through slots that it reads
        GpuEvent* event = nullptr;  // recorded behind it; none: it was not issued
        std::unique_ptr<Staging::Move> move;
        bool released = false;  // the move
        bool on_host = true;    // what a move brings to the host is there, or never will be
        bool arrived = false;   // all that a move brings to the host is there
        bool broken = false;    // it failed
        bool doomed = false;    // it failed, or never starts because another one did
        double start = 0;       // when the host gave it to its stream
        StepId before = -1;     // the one issued before it in its stream
        std::optional<StepTime> time;
    };

    static std::size_t index(StepId id) { return static_cast<std::size_t>(id); }
    const Lane& lane_of(const Job& job) const {
        return lanes_[static_cast<std::size_t>(job.queue)];
    }

    /// Queues that share a stream are one queue: none overtakes another while slots are packed. The
    /// first of them stands for it.
    QueueId stream_of(QueueId queue) const {
        const GpuStream* stream = lanes_[static_cast<std::size_t>(queue)].stream;
        return static_cast<QueueId>(std::ranges::find(lanes_, stream, &Lane::stream) -
                                    lanes_.begin());
    }

    /// Only what is solved is read after it was written.
    std::vector<StepId> writes_seen(const Step& step) const {
        std::vector<StepId> seen;
        if (step.op != Opcode::fetch || !plan_.goal.solves) return seen;
        const Tile& block = plan_.tiles[index(step.in[0].tile)];
        for (const StepId write : writes_)
            if (overlap(plan_.tiles[index(plan_.steps[index(write)].out.tile)], block))
                seen.push_back(write);
        return seen;
    }

    void announce(StepId id, Job& job) {
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

    void retry_deferred() {
        startable_.insert(startable_.end(), deferred_.begin(), deferred_.end());
        deferred_.clear();
        start_all();
    }

    /// A call from the staging threads is over.
    void end_call() {
        --due_;
        changed_.notify_all();
    }

    void start_all() {
        for (std::size_t i = 0; i < startable_.size() && !closed_; ++i) start(startable_[i]);
        startable_.clear();
    }

    void start(StepId id) {
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

    int wait_for_others(const Job& job) {
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
    void issued(StepId id, int fault) {
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

    void note_lost(int fault, int gpu) const {
        if (driver_.fault(fault) == GpuFault::lost) state_.lost.add(gpu);
    }

    /// Whether a step waits for another GPU that was lost: that is why it failed.
    bool waits_for_lost(const Job& job) const {
        return std::ranges::any_of(job.waits, [&](StepId wait) {
            const int gpu = lane_of(jobs_[index(wait)]).device;
            return gpu != lane_of(job).device && state_.lost.has(gpu);
        });
    }

    void fail(StepId id, int fault) {
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
    bool is_doomed(const Job& job) const {
        const auto doomed = [&](StepId wait) { return jobs_[index(wait)].doomed; };
        return failed_ && job.event == nullptr && !job.released &&
               (doomed_[static_cast<std::size_t>(stream_of(job.queue))] ||
                std::ranges::any_of(job.waits, doomed));
    }

    /// What never starts gives back its slots, which others may wait for.
    void drop_doomed() {
        for (Job& job : jobs_) {
            if (job.queue < 0) continue;
            job.doomed = job.doomed || job.broken || is_doomed(job);
            if (!job.doomed) continue;
            doomed_[static_cast<std::size_t>(stream_of(job.queue))] = true;
            if (job.move && !job.released) state_.staging.cancel(*job.move);
            if (!job.released) job.move.reset();
        }
    }

    /// A step that ended since it was last asked. A fault shows at the first step behind it.
    std::optional<Completion> take_ended() {
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
    const StepTime& time_of(StepId id) {
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
    void close() {
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

    void drain(const Lane& lane) {
        GpuEvent* event = nullptr;
        if (events_.take(lane.device, &event) != 0) return;
        if (driver_.record(event, lane.stream) == 0) driver_.synchronize(event);
        events_.give(lane.device, event);
    }

    GpuBackend::State& state_;
    const GpuDriver& driver_;
    const Desks::Hold desk_;
    const ProfileRange range_;
    const Plan& plan_;
    const Binding binding_;
    const std::vector<Lane>& lanes_;
    const std::span<std::byte* const> slabs_;
    EventPool& events_;
    Clocks clocks_;
    const Places places_;
    std::mutex mutex_;
    std::condition_variable changed_;
    Order order_;
    std::deque<Job> jobs_;
    std::vector<StepId> startable_;
    std::vector<StepId> writes_;         // through slots
    std::vector<StepId> deferred_;       // until what they see is on the host
    std::vector<Line> lines_;            // of each queue: issued, and not seen to have ended
    std::map<GpuStream*, StepId> last_;  // issued last, plus one
    std::deque<Completion> failures_;
    std::vector<bool> doomed_;  // streams, by their first queue, in which nothing starts
    int due_ = 0;               // calls that the staging threads will make
    bool closed_ = false;
    bool failed_ = false;
    bool idle_ = false;  // all that was submitted has ended
};

/// Where the steps of a queue read and write.
std::array<MemoryId, 2> memories_of(const Plan& plan, const Queue& queue) {
    const auto index = static_cast<std::size_t>(queue.index);
    if (queue.kind == QueueKind::transfer)
        return {plan.machine.links[index].from, plan.machine.links[index].to};
    return {plan.machine.devices[index].memory, plan.machine.devices[index].memory};
}

}  // namespace

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
