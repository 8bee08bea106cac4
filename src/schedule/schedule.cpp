// SPDX-License-Identifier: Apache-2.0
#include "schedule/schedule.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "model/engine.hpp"
#include "schedule/scheduler.hpp"

namespace gemmill {
namespace {

/// The model's clock as a session.
class ClockSession final : public Session {
  public:
    explicit ClockSession(const Plan& plan, std::span<const Disturbance> disturbances = {})
        : clock_(plan, disturbances) {}
    void submit(StepId step) override { clock_.submit(step); }
    std::optional<Completion> next() override {
        const auto done = clock_.next();
        if (!done) return std::nullopt;
        return Completion{done->step, done->time, Code::ok, {}};
    }

  private:
    Clock clock_;
};

/// The same for a trial: there is nothing more of one that went too far.
class TrialSession final : public Session {
  public:
    TrialSession(const Plan& plan, Sharing& sharing, const TrialLimit& limit)
        : clock_(plan, sharing), limit_(limit) {}
    void submit(StepId step) override {
        ++steps_;
        clock_.submit(step);
    }
    std::optional<Completion> next() override {
        const auto done = clock_.next();
        if (!done) return std::nullopt;
        went_too_far_ = done->time.end > limit_.seconds || work() > limit_.work;
        if (went_too_far_) return std::nullopt;
        return Completion{done->step, done->time, Code::ok, {}};
    }
    bool went_too_far() const { return went_too_far_; }
    /// Rates that the clock finds are most of it where many transfers run together.
    double work() const {
        constexpr double rate = 1.0 / 110;
        return steps_ + rate * static_cast<double>(clock_.shared());
    }

  private:
    Clock clock_;
    const TrialLimit limit_;
    double steps_ = 0;
    bool went_too_far_ = false;
};

/// All but the frame goes, and what it took of memory stays.
void begin_again(Plan& plan) {
    plan.tiles.clear(), plan.buffers.clear(), plan.queues.clear();
    plan.steps.clear(), plan.waits.clear();
}

/// Queues that no step is in go.
void drop_queues(Plan& plan) {
    std::vector<QueueId> number(plan.queues.size(), -1);
    for (const Step& step : plan.steps) number[static_cast<std::size_t>(step.queue)] = 0;
    std::vector<Queue> kept;
    for (std::size_t q = 0; q < number.size(); ++q) {
        if (number[q] < 0) continue;
        number[q] = static_cast<QueueId>(kept.size());
        kept.push_back(plan.queues[q]);
    }
    for (Step& step : plan.steps) step.queue = number[static_cast<std::size_t>(step.queue)];
    plan.queues = std::move(kept);
}

/// No larger than what was used, and buffers that no step used go to nobody.
void trim_slabs(Plan& plan) {
    std::ranges::fill(plan.slab, 0);
    for (const Buffer& buffer : plan.buffers) {
        std::int64_t& slab = plan.slab[static_cast<std::size_t>(buffer.memory)];
        slab = std::max(slab, buffer.offset + buffer.bytes);
    }
}

void tidy(Plan& plan) {
    drop_queues(plan);
    trim_slabs(plan);
}

}  // namespace

Plan schedule_on_clock(const Plan& frame, const Tasks& tasks, const ScheduleOptions& options) {
    Plan plan = schedule_disturbed(frame, tasks, options, {}).plan;
    plan.prediction = predict(plan, simulate(plan));
    return plan;
}

ScheduleTrial schedule_within(Plan& plan, const Tasks& tasks, const ScheduleOptions& options,
                              TrialGround& ground, const TrialLimit& limit) {
    begin_again(plan);
    Scheduler scheduler(plan, tasks, options, {}, ground.idle);
    TrialSession session(plan, ground.sharing, limit);
    ScheduleTrial trial;
    const auto timeline = scheduler.try_run(session);
    if (!session.went_too_far()) {
        if (!timeline) scheduler.stop();
        trial.seconds = makespan(*timeline);
        tidy(plan);
    }
    trial.work = session.work();
    return trial;
}

DynamicRun schedule_disturbed(const Plan& frame, const Tasks& tasks, const ScheduleOptions& options,
                              std::span<const Disturbance> disturbances, const Deal& deal) {
    DynamicRun run{frame, {}};
    Scheduler scheduler(run.plan, tasks, options, deal);
    ClockSession session(run.plan, disturbances);
    run.timeline = scheduler.run(session);
    tidy(run.plan);
    return run;
}

DynamicRun schedule_on_backend(const Plan& frame, const Tasks& tasks,
                               const ScheduleOptions& options, Backend& backend,
                               const Binding& binding, const Deal& deal) {
    DynamicRun run{frame, {}};
    Scheduler scheduler(run.plan, tasks, options, deal);
    {
        const std::unique_ptr<Session> session = backend.open(run.plan, binding);
        run.timeline = scheduler.run(*session);
    }
    tidy(run.plan);
    return run;
}

}  // namespace gemmill
