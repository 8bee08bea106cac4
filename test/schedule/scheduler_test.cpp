// SPDX-License-Identifier: Apache-2.0
// The scheduler on its two clocks: plans of the model's, runs on the CPU that are recorded and
// replayed, and sessions whose completions come in any order.
#include "schedule/scheduler.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "backend/cpu/cpu.hpp"
#include "backend/cpu/probe.hpp"
#include "backend/sim/sim.hpp"
#include "exec/run.hpp"
#include "gemmill/error.hpp"
#include "kernel/reference/reference.hpp"
#include "model/engine.hpp"
#include "schedule/schedule.hpp"
#include "support/any_order.hpp"
#include "support/goal_case.hpp"
#include "support/schedule_case.hpp"

namespace gemmill::test {
namespace {

/// Does a step when it is told to, in any order that queues and waits allow.
class AnyOrderSession final : public Session {
  public:
    AnyOrderSession(const Plan& plan, const Binding& binding, Random& random)
        : plan_(plan),
          binding_(binding),
          slabs_(plan),
          order_(plan.queues.size()),
          random_(random) {}

    void submit(StepId step) override {
        const Step& s = plan_.steps[static_cast<std::size_t>(step)];
        order_.submit(step, s.queue, waits_of(plan_, s), ready_);
    }
    std::optional<Completion> next() override {
        if (ready_.empty()) return std::nullopt;
        std::swap(random_.pick(ready_), ready_.back());
        Completion done;
        done.step = ready_.back();
        ready_.pop_back();
        done.time = {clock_, clock_ + 1};
        ++clock_;
        const Step& step = plan_.steps[static_cast<std::size_t>(done.step)];
        perform(make_task(plan_, step, binding_, slabs_.begins()), reference_kernels());
        order_.complete(done.step, ready_);
        return done;
    }
    bool guards_intact() const { return slabs_.guards_intact(); }

  private:
    const Plan& plan_;
    const Binding binding_;
    const NanSlabs slabs_;
    Order order_;
    Random& random_;
    std::vector<StepId> ready_;
    double clock_ = 0;
};

/// The target as it is.
std::vector<std::byte> target_bytes(const Plan& plan, const Binding& binding) {
    const Operand& target = target_of(plan);
    const auto id = static_cast<std::size_t>(plan.goal.target);
    const auto size = static_cast<std::size_t>(bytes_of(target.type));
    const auto* data = static_cast<const std::byte*>(binding.data[id]);
    std::vector<std::byte> all;
    for (index_t j = 0; j < target.cols; ++j) {
        const std::byte* column = data + static_cast<std::size_t>(j * binding.ld[id]) * size;
        all.insert(all.end(), column, column + static_cast<std::size_t>(target.rows) * size);
    }
    return all;
}

/// Of 16-bit types the judge would have to know the steps before they are made.
ScheduleCase any_dynamic_case(Random& random, index_t largest) {
    for (;;)
        if (ScheduleCase x = any_case(random, largest); !is_short(x.problem.type)) return x;
}

/// GEMMILL_... variables are options of the library; this one is the tests' own.
int runs() {
    const char* many = std::getenv("SCHEDULE_RUNS");
    return many != nullptr ? std::atoi(many) : affordable(10'000);
}

TEST(Dynamic, completions_in_any_order_give_the_right_result) {
    Random random(5);
    int made = 0, refused = 0;
    for (int i = 0; i < runs() && !HasFailure(); ++i) {
        const ScheduleCase x = any_dynamic_case(random, 12);
        Plan plan = x.frame;
        try {
            Scheduler scheduler(plan, x.tasks, x.options, x.deal);
            GoalCase data(plan, random);
            AnyOrderSession session(plan, data.binding(), random);
            scheduler.run(session);
            ASSERT_TRUE(data.check()) << x.text();
            ASSERT_TRUE(session.guards_intact()) << x.text();
            const auto faults = i % 10 == 0 ? validate(plan) : std::vector<std::string>{};
            ASSERT_THAT(faults, ::testing::IsEmpty()) << x.text();
            ++made;
        } catch (const Error& error) {
            ASSERT_EQ(error.code(), Code::out_of_memory) << error.what() << x.text();
            ++refused;
        }
    }
    EXPECT_GT(made, 5 * refused);
}

TEST(Dynamic, the_prediction_is_what_the_simulated_machine_takes) {
    Random random(6);
    for (int i = 0; i < affordable(300); ++i) {
        ScheduleCase x = any_case(random);
        for (std::size_t m = 0; m < x.frame.limit.size(); ++m)
            x.frame.limit[m] = x.frame.machine.memories[m].capacity;
        const Plan plan = schedule_on_clock(x.frame, x.tasks, x.options);
        SimBackend sim(plan.machine);
        const Timeline timeline = run(plan, sim, Binding{});
        ASSERT_EQ(makespan(timeline), plan.prediction.seconds) << x.text();
        ASSERT_EQ(predict(plan, timeline), plan.prediction) << x.text();
    }
}

TEST(Dynamic, the_same_arguments_give_the_same_plan) {
    Random random(7);
    for (int i = 0; i < affordable(50); ++i) {
        ScheduleCase x = any_case(random);
        for (std::size_t m = 0; m < x.frame.limit.size(); ++m)
            x.frame.limit[m] = x.frame.machine.memories[m].capacity;
        ASSERT_EQ(schedule_on_clock(x.frame, x.tasks, x.options),
                  schedule_on_clock(x.frame, x.tasks, x.options));
    }
}

class OnCpu : public ::testing::TestWithParam<int> {};

TEST_P(OnCpu, runs_are_right_recorded_and_replayed_to_the_same_bits) {
    Random random(8);
    HostFacts facts;
    facts.cores = 4, facts.hertz = 1e9, facts.memory = 1 << 30;
    CpuBackend cpu(
        {cpu_machine(host_machine(facts), 3), reference_kernels(), GetParam(), allocate_host});
    for (int i = 0; i < affordable(120) && !HasFailure(); ++i) {
        ScheduleCase x = any_dynamic_case(random, 24);
        x.problem.home = {0, 0, 0};
        x.deal.clear();
        x.frame = frame_of(x.problem, cpu.machine());
        x.tasks = tasks_of(x.problem, x.tiles);
        if (random.chance(50)) x.deal = any_deal(random, x);
        GoalCase data(x.frame, random);
        const DynamicRun made =
            schedule_on_backend(x.frame, x.tasks, x.options, cpu, data.binding(), x.deal);
        ASSERT_TRUE(data.check()) << x.text();
        ASSERT_THAT(validate(made.plan), ::testing::IsEmpty()) << x.text();
        ASSERT_EQ(made.timeline.size(), made.plan.steps.size());
        const std::vector<std::byte> first = target_bytes(made.plan, data.binding());
        data.reset();
        run(made.plan, cpu, data.binding());
        ASSERT_EQ(target_bytes(made.plan, data.binding()), first) << "replayed" << x.text();
    }
}

/// Devices with 1 and 3 threads, and the second computes at a fiftieth of its rate.
TEST(Dynamic, a_slowed_device_of_the_cpu_gets_less_to_do) {
    Random random(9);
    HostFacts facts;
    facts.cores = 4, facts.hertz = 1e9, facts.memory = 1 << 30;
    CpuBackend cpu({cpu_machine(host_machine(facts), 2),
                    reference_kernels(),
                    2,
                    allocate_host,
                    {1, 3},
                    {1, 0.02}});
    Problem p;
    p.m = p.n = p.k = 160;
    const Plan frame = frame_of(p, cpu.machine());
    GoalCase data(frame, random);
    const DynamicRun run =
        schedule_on_backend(frame, tasks_of(p, {16, 16, 160}), {}, cpu, data.binding());
    EXPECT_TRUE(data.check());
    EXPECT_THAT(validate(run.plan), ::testing::IsEmpty());
    const Statistics of = statistics(run.plan);
    EXPECT_LT(of.device_flops[1], 0.5 * of.device_flops[0]);
}

INSTANTIATE_TEST_SUITE_P(Threads, OnCpu, ::testing::Values(1, 3));

TEST(Dynamic, a_slow_device_gets_less_to_do) {
    Problem p;
    p.m = p.n = p.k = 8192;
    const Machine machine = load_machine("hgx-a100-8");
    const Plan frame = frame_of(p, machine);
    const Tasks tasks = tasks_of(p, {512, 512, 8192});
    const Disturbance slow{.is_link = false, .index = 3, .rate = 0.25};
    const Plan planned = schedule_on_clock(frame, tasks, {});
    const DynamicRun run = schedule_disturbed(frame, tasks, {}, {&slow, 1});
    EXPECT_THAT(validate(run.plan), ::testing::IsEmpty());
    EXPECT_LT(makespan(run.timeline), 0.8 * makespan(simulate(planned, {&slow, 1})));
    const Statistics of = statistics(run.plan);
    EXPECT_LT(of.device_flops[3], 0.8 * of.device_flops[0]);
}

/// A product whose links and devices have about as much to do, in few and large tasks.
struct LargeTasks {
    LargeTasks() {
        problem.m = problem.n = problem.k = 16'384;
        problem.beta = Factor::general;
        frame = frame_of(problem, load_machine("hgx-a100-8"));
        tasks = tasks_of(problem, {8192, 512, 8192});
        options.active = 8;
    }
    Problem problem;
    Plan frame;
    Tasks tasks;
    ScheduleOptions options;
};

TEST(Dynamic, a_slow_device_does_not_begin_what_others_would_end_sooner) {
    LargeTasks x;
    const Disturbance slow{.is_link = false, .index = 3, .rate = 0.5};
    const auto seconds = [&] {
        return makespan(schedule_disturbed(x.frame, x.tasks, x.options, {&slow, 1}).timeline);
    };
    const double with = seconds();
    x.options.halves = false;
    EXPECT_LT(with, 0.9 * seconds());
}

/// What it did before it slowed down must not count for what it can do now.
TEST(Dynamic, a_device_that_slows_down_in_the_middle_gets_less_to_do) {
    LargeTasks x;
    x.tasks = tasks_of(x.problem, {1024, 1024, 4096});
    const double planned = schedule_on_clock(x.frame, x.tasks, x.options).prediction.seconds;
    const Disturbance slow{.is_link = false, .index = 3, .rate = 0.2, .from = planned / 2};
    const DynamicRun run = schedule_disturbed(x.frame, x.tasks, x.options, {&slow, 1});
    // 7 of 8 devices for the second half, and a task of the slow one at most.
    EXPECT_LT(makespan(run.timeline), 1.2 * planned);
}

TEST(Dynamic, a_slow_link_brings_fewer_pieces) {
    LargeTasks x;
    const LinkId link = find_link(x.frame.machine, 0, 4);
    const Disturbance slow{.is_link = true, .index = link, .rate = 0.2};
    const auto bytes = [&](std::span<const Disturbance> disturbances) {
        const Plan plan = schedule_disturbed(x.frame, x.tasks, x.options, disturbances).plan;
        return statistics(plan).link_bytes[static_cast<std::size_t>(link)];
    };
    EXPECT_LT(bytes({&slow, 1}), 0.7 * static_cast<double>(bytes({})));
}

TEST(Dynamic, devices_begin_what_was_dealt_to_them) {
    Problem p;
    p.m = p.n = p.k = 4096;
    const Plan frame = frame_of(p, load_machine("hgx-a100-8"));
    const Tasks tasks = tasks_of(p, {512, 512, 4096});
    Deal deal(8);  // the other way round than the queue would
    for (TaskId t = 0; t < 56; ++t) deal[static_cast<std::size_t>(7 - t % 8)].push_back(t);
    const DynamicRun run = schedule_disturbed(frame, tasks, {}, {}, deal);
    EXPECT_THAT(validate(run.plan), ::testing::IsEmpty());
    const Deal seen = deal_of(run.plan, tasks, frame.devices, 0);
    int kept = 0;
    for (std::size_t d = 0; d < 8; ++d)
        for (std::size_t i = 0; i < deal[d].size(); ++i)
            kept += i < seen[d].size() && seen[d][i] == deal[d][i];
    EXPECT_GE(kept, 50) << "of 56; the last may be left to whoever is sooner";
}

TEST(Dynamic, what_was_dealt_to_a_device_that_is_slow_is_taken_over) {
    Problem p;
    p.m = p.n = p.k = 8192;
    const Plan frame = frame_of(p, load_machine("hgx-a100-8"));
    const Tasks tasks = tasks_of(p, {512, 512, 8192});
    const Disturbance slow{.is_link = false, .index = 3, .rate = 0.1};
    const Plan planned = schedule_on_clock(frame, tasks, {});
    const Deal deal = deal_of(planned, tasks, frame.devices, 0.15);
    const DynamicRun run = schedule_disturbed(frame, tasks, {}, {&slow, 1}, deal);
    EXPECT_LT(makespan(run.timeline), 0.5 * makespan(simulate(planned, {&slow, 1})));
}

TEST(Dynamic, pieces_and_late_targets_let_products_begin_sooner) {
    LargeTasks x;
    const auto seconds = [&] {
        return schedule_on_clock(x.frame, x.tasks, x.options).prediction.seconds;
    };
    const double both = seconds();
    x.options.piece = 0;
    EXPECT_LT(both, 0.97 * seconds()) << "tiles come whole";
    x.options.piece = ScheduleOptions{}.piece;
    x.options.late = false;
    EXPECT_LT(both, 0.97 * seconds()) << "old targets come first";
}

TEST(Dynamic, a_device_that_stops_ends_the_run_with_a_reason) {
    Problem p;
    p.m = p.n = p.k = 4096;
    const Plan frame = frame_of(p, load_machine("hgx-a100-8"));
    const Disturbance stops{.is_link = false, .index = 2, .rate = 0, .from = 1e-3};
    try {
        schedule_disturbed(frame, tasks_of(p, {1024, 1024, 1024}), {}, {&stops, 1});
        FAIL() << "it ended";
    } catch (const Error& error) {
        EXPECT_THAT(error.text(), ::testing::HasSubstr("the run stopped after"));
        EXPECT_THAT(error.text(), ::testing::HasSubstr("gpu2"));
    }
}

/// Takes steps and ends none.
class SilentSession final : public Session {
  public:
    void submit(StepId) override {}
    std::optional<Completion> next() override { return std::nullopt; }
};

TEST(Dynamic, a_run_that_cannot_go_on_says_why) {
    Problem p;
    p.m = p.n = p.k = 16;
    Plan plan = frame_of(p, two_gpus());
    const Tasks tasks = tasks_of(p, {8, 8, 8});
    Scheduler scheduler(plan, tasks, {});
    SilentSession session;
    try {
        scheduler.run(session);
        FAIL() << "it ended";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), Code::internal);
        EXPECT_THAT(error.text(), ::testing::HasSubstr("stopped after 0 of 4 tasks"));
    }
}

TEST(Dynamic, too_little_memory_is_an_error_before_anything_runs) {
    Problem p;
    p.m = p.n = p.k = 64;
    Plan frame = frame_of(p, two_gpus());
    frame.limit[1] = frame.limit[2] = 4096;
    try {
        schedule_on_clock(frame, tasks_of(p, {32, 32, 32}), {});
        FAIL() << "it fitted";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), Code::out_of_memory);
        EXPECT_THAT(error.text(), ::testing::HasSubstr("do not hold the tiles of one step"));
    }
}

/// Ends the first step with a fault.
class FailingSession final : public Session {
  public:
    void submit(StepId step) override { last_ = step; }
    std::optional<Completion> next() override {
        return Completion{last_, {}, Code::failed_step, "it broke"};
    }

  private:
    StepId last_ = -1;
};

TEST(Dynamic, a_step_that_fails_is_named) {
    Problem p;
    p.m = p.n = p.k = 16;
    Plan plan = frame_of(p, two_gpus());
    const Tasks tasks = tasks_of(p, {8, 8, 8});
    Scheduler scheduler(plan, tasks, {});
    FailingSession session;
    try {
        scheduler.run(session);
        FAIL() << "it ended";
    } catch (const Error& error) {
        EXPECT_THAT(error.text(), ::testing::HasSubstr("it broke"));
        EXPECT_THAT(error.text(), ::testing::HasSubstr("step "));
    }
}

}  // namespace
}  // namespace gemmill::test
