// SPDX-License-Identifier: Apache-2.0
// Small timelines worked out by hand: one host, two devices, round numbers.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "model/cost.hpp"
#include "model/engine.hpp"
#include "support/rich_plan.hpp"
#include "task/describe.hpp"
#include "task/instruct.hpp"
#include "task/problem.hpp"

namespace gemmill::test {
namespace {

/// Links of 8 B/s, so that a double takes a second; kernels of 2 flop/s.
Machine slow_machine() {
    Machine m;
    m.name = "slow";
    m.memories = {{"host", MemoryKind::host, 1 << 20, ""},
                  {"gpu0", MemoryKind::device, 1 << 20, ""},
                  {"gpu1", MemoryKind::device, 1 << 20, ""}};
    for (int d = 0; d < 2; ++d) {
        Device device;
        device.name = "gpu" + std::to_string(d);
        device.memory = d + 1;
        device.bandwidth = 1e9;
        device.peak.fill(2);
        m.devices.push_back(device);
    }
    for (MemoryId d : {1, 2}) {
        m.links.push_back({0, d, 8, 0, 0, {}, ""});
        m.links.push_back({d, 0, 8, 0, 0, {}, ""});
    }
    return m;
}

/// Steps over tiles of one element each.
class Timed {
  public:
    Timed() {
        plan.machine = slow_machine();
        problem.m = problem.n = problem.k = 4;
        describe(problem, plan);
        plan.devices = {0, 1};
        plan.slab = plan.limit = {0, 1024, 1024};
        plan.tiles = {{operand::A, 0, 0, 1, 1},
                      {operand::B, 0, 0, 1, 1},
                      {operand::C, 0, 0, 1, 1},
                      {operand::A, 0, 0, 1, 3}};
        for (MemoryId m : {1, 2})
            for (TileId t = 0; t < 4; ++t) plan.buffers.push_back({m, t, 32 * t, 32, 1, 0, 99});
        plan.queues = {{QueueKind::transfer, 0}, {QueueKind::transfer, 1}, {QueueKind::transfer, 2},
                       {QueueKind::transfer, 3}, {QueueKind::compute, 0},  {QueueKind::compute, 0},
                       {QueueKind::compute, 1}};
    }
    StepId add(Step step, std::initializer_list<StepId> waits) {
        step.wait_begin = static_cast<std::int32_t>(plan.waits.size());
        step.wait_count = static_cast<std::int32_t>(waits.size());
        plan.waits.insert(plan.waits.end(), waits);
        plan.steps.push_back(step);
        return static_cast<StepId>(plan.steps.size()) - 1;
    }
    StepId fetch(int device, TileId tile, std::initializer_list<StepId> waits = {}) {
        Step s = move_step(plan, Opcode::fetch, {tile, Ref::home}, {tile, 4 * device + tile});
        s.queue = 2 * device;
        return add(s, waits);
    }
    StepId compute(QueueId queue, std::initializer_list<StepId> waits = {}) {
        const int device = queue == 6 ? 1 : 0;
        return add(compute_step(plan, problem, queue, {2, 4 * device + 2}, Keep::zero,
                                {0, 4 * device}, {1, 4 * device + 1}),
                   waits);
    }
    void expect(std::initializer_list<StepTime> times) const {
        const Timeline got = simulate(plan);
        ASSERT_EQ(got.size(), times.size());
        for (std::size_t i = 0; i < got.size(); ++i) {
            const StepTime& want = times.begin()[i];
            EXPECT_NEAR(got[i].begin, want.begin, 1e-6) << "step " << i;
            EXPECT_NEAR(got[i].end, want.end, 1e-6) << "step " << i;
        }
    }

    Problem problem;
    Plan plan;
};

TEST(Clock, steps_of_a_queue_follow_each_other) {
    Timed t;
    t.fetch(0, 0);
    t.fetch(0, 3);
    t.fetch(0, 1);
    t.expect({{0, 1}, {1, 4}, {4, 5}});
}

TEST(Clock, queues_run_beside_each_other_and_waits_hold_them) {
    Timed t;
    const StepId a = t.fetch(0, 0);
    const StepId b = t.fetch(1, 3);
    t.compute(4, {a});
    t.compute(5, {a, b});
    t.compute(6, {b});
    t.expect({{0, 1}, {0, 3}, {1, 2}, {3, 4}, {3, 4}});
}

TEST(Clock, a_wait_blocks_the_queue_behind_it) {
    Timed t;
    const StepId a = t.fetch(1, 3);
    t.fetch(0, 0, {a});
    t.fetch(0, 1);
    t.expect({{0, 3}, {3, 4}, {4, 5}});
}

TEST(Clock, latency_comes_first_and_holds_the_queue) {
    Timed t;
    t.plan.machine.links[0].latency = 0.5;
    t.plan.machine.devices[0].launch = 0.25;
    const StepId a = t.fetch(0, 0);
    t.fetch(0, 1);
    t.compute(4, {a});
    t.expect({{0, 1.5}, {1.5, 3}, {1.5, 2.75}});
}

TEST(Clock, kernels_share_their_device) {
    Timed t;
    t.compute(4);
    t.compute(5);
    t.compute(6);
    t.expect({{0, 2}, {0, 2}, {0, 1}});
}

TEST(Clock, transfers_share_a_resource_and_get_it_back) {
    Timed t;
    t.plan.machine.resources = {{"bus", 8, ""}};
    t.plan.machine.links[0].resources = t.plan.machine.links[2].resources = {0};
    t.fetch(0, 0);
    t.fetch(1, 3);
    // Half each until the first has its byte at 2 s; the second then has 2 of 3 left.
    t.expect({{0, 2}, {0, 4}});
}

TEST(Clock, two_queues_of_one_link_share_its_bandwidth) {
    Timed t;
    t.plan.queues[2] = {QueueKind::transfer, 0};
    t.fetch(0, 0);
    Step s = t.plan.steps[0];
    s.queue = 2;
    t.add(s, {});
    t.expect({{0, 2}, {0, 2}});
}

TEST(Clock, the_host_issues_one_step_after_the_other) {
    Timed t;
    t.plan.machine.call = 10;
    t.plan.machine.issue = 1;
    t.fetch(0, 0);
    t.fetch(1, 0);
    t.compute(6);
    t.expect({{11, 12}, {12, 13}, {13, 14}});
}

TEST(Clock, runs_of_a_part_cost_extra_bytes) {
    Timed t;
    t.plan.machine.links[0].run_overhead = 4;
    t.fetch(0, 3);  // 1 x 3 of a 4 x 4 matrix: three runs
    t.expect({{0, 4.5}});
}

TEST(Clock, a_piece_moves_its_columns_only) {
    Timed t;
    t.fetch(0, 3);
    t.plan.steps[0].pieces = 3;
    t.plan.steps[0].piece = 1;
    t.expect({{0, 1}});
}

TEST(Clock, memory_bound_kernels_take_their_bytes) {
    Timed t;
    t.plan.machine.devices[0].bandwidth = 8;
    t.compute(4);  // a, b read and c written: 24 bytes at 8 B/s against 1 s of flops
    t.expect({{0, 3}});
}

TEST(Clock, reactive_use) {
    Timed t;
    t.plan.machine.issue = 1;
    t.fetch(0, 0);
    t.fetch(1, 0);
    Clock clock(t.plan);
    EXPECT_FALSE(clock.next().has_value());
    clock.submit(0);
    const auto first = clock.next();
    ASSERT_TRUE(first.has_value());
    EXPECT_EQ(first->step, 0);
    EXPECT_DOUBLE_EQ(first->time.end, 2);
    EXPECT_FALSE(clock.next().has_value());
    EXPECT_DOUBLE_EQ(clock.now(), 2);
    clock.submit(1);
    EXPECT_DOUBLE_EQ(clock.next()->time.begin, 3);
}

TEST(Clock, is_deterministic_and_in_order_of_time) {
    Random random(1);
    for (int i = 0; i < affordable(100); ++i) {
        const Plan plan = rich_plan(random);
        Clock clock(plan);
        for (StepId id = 0; id < std::ssize(plan.steps); ++id) clock.submit(id);
        double last = 0;
        while (const auto done = clock.next()) {
            EXPECT_GE(done->time.end, last);
            last = done->time.end;
        }
        EXPECT_EQ(simulate(plan), simulate(plan));
        EXPECT_EQ(makespan(simulate(plan)), last);
        EXPECT_EQ(predict(plan, simulate(plan)), plan.prediction);
    }
}

/// Changes to what a resource has anyway make the clock find all rates of its group again: rates
/// that it left alone were right.
TEST(Clock, rates_that_stay_are_those_that_would_be_found) {
    Random random(3);
    for (int i = 0; i < affordable(100); ++i) {
        const Plan plan = rich_plan(random);
        const Timeline timeline = simulate(plan);
        const double seconds = makespan(timeline);
        std::vector<Disturbance> changes;
        for (std::size_t l = 0; l < plan.machine.links.size(); ++l)
            for (int part = 0; part < 20; ++part)
                changes.push_back({true, static_cast<std::int32_t>(l), 1, part * seconds / 20,
                                   std::numeric_limits<double>::infinity()});
        const Timeline again = simulate(plan, changes);
        for (std::size_t step = 0; step < timeline.size(); ++step)
            ASSERT_NEAR(again[step].end, timeline[step].end, 1e-9 * seconds) << i << " " << step;
    }
}

TEST(Clock, a_limit_ends_it_and_another_clock_s_memory_changes_nothing) {
    Random random(2);
    for (int i = 0; i < affordable(100); ++i) {
        const Plan plan = rich_plan(random);
        const double seconds = makespan(simulate(plan));
        Sharing sharing = sharing_of(plan.machine);
        for (int again = 0; again < 2; ++again) {
            const Reached all = seconds_within(plan, seconds, sharing);
            EXPECT_EQ(all.seconds, seconds);
            EXPECT_EQ(all.steps, plan.steps.size());
        }
        const Reached part = seconds_within(plan, seconds * 0.5, sharing);
        EXPECT_TRUE(std::isinf(part.seconds));
        EXPECT_LT(part.steps, plan.steps.size());
        // A device or a link that has too much to do is seen before anything is simulated.
        EXPECT_EQ(seconds_within(plan, 0, sharing).steps, 0U);
    }
}

}  // namespace
}  // namespace gemmill::test
