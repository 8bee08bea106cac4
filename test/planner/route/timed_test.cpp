// SPDX-License-Identifier: Apache-2.0
#include "planner/route/timed.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "gemmill/error.hpp"
#include "task/describe.hpp"
#include "task/instruct.hpp"
#include "task/problem.hpp"

namespace gemmill::test {
namespace {

/// C of 256 x 256 doubles on gpu0, which others have copies of.
struct Bench {
    explicit Bench(const char* line) : plan(plan_on(line)) {}

    static Draft plan_on(const char* line) {
        Draft plan;
        plan.machine = synthetic_machine(line);
        plan.problem.m = plan.problem.n = plan.problem.k = 256;
        plan.problem.home = {1, 1, 1};
        describe(plan.problem, plan);
        for (const Memory& memory : plan.machine.memories) plan.limit.push_back(memory.capacity);
        return plan;
    }
    TileId strip(index_t first, index_t count) {
        return builder.tile({operand::C, 0, first, 256, count});
    }

    Draft plan;
    Builder builder{plan};
    Timed timed{plan, builder};
};

TEST(Timed, steps_are_issued_in_the_order_in_which_they_can_start) {
    Bench b("gpu:2(mem=1GB,d=1T) nvlink:1TB/s");
    const TileId c = b.strip(0, 256);
    const BufferId there = b.builder.keep(2, c);
    b.timed.write({b.strip(128, 128), there}, 2.0);
    b.timed.write({b.strip(0, 128), there}, 1.0);
    b.timed.move(Opcode::fetch, {c, Ref::home}, {c, there}, 0);
    b.timed.issue();
    ASSERT_EQ(b.plan.steps.size(), 3U);
    EXPECT_EQ(b.plan.steps[0].op, Opcode::fetch);
    EXPECT_EQ(b.plan.steps[1].out.tile, b.strip(0, 128));
    EXPECT_EQ(b.plan.steps[2].out.tile, b.strip(128, 128));
}

TEST(Timed, a_busy_link_is_passed_by_over_the_host) {
    Bench b("gpu:2(mem=1GB,d=1T) nvlink:10GB/s pcie:10GB/s");
    const TileId c = b.strip(0, 256);
    const BufferId there = b.builder.keep(2, c);
    double last = 0;
    for (index_t i = 0; i < 8; ++i) {
        const TileId strip = b.strip(32 * i, 32);
        last = b.timed.route(Opcode::fetch, {strip, Ref::home}, {strip, there}, 0);
    }
    b.timed.issue();
    const auto over_host = std::ranges::count_if(b.plan.steps, [&](const Step& s) {
        return b.plan.buffers[static_cast<std::size_t>(s.out.buffer)].memory == 0;
    });
    EXPECT_GT(over_host, 1);
    EXPECT_LT(over_host, 6);
    EXPECT_LT(last, 8 * (256 * 32 * 8 / 10e9 + 1e-4));
}

TEST(Timed, without_a_link_there_is_only_the_host) {
    Bench b("gpu:2(mem=1GB,d=1T) pcie:10GB/s");
    const TileId c = b.strip(0, 256);
    const BufferId there = b.builder.keep(2, c);
    EXPECT_THROW(b.timed.move(Opcode::fetch, {c, Ref::home}, {c, there}, 0), Error);
    b.timed.route(Opcode::fetch, {c, Ref::home}, {c, there}, 0);
    b.timed.issue();
    EXPECT_EQ(b.plan.steps.size(), 2U);
}

TEST(Timed, a_kernel_waits_for_its_device_and_one_beside_it_does_not) {
    Bench b("gpu:1(mem=1GB,d=1T)");
    const Ref c{b.strip(0, 256), Ref::home},
        x{b.builder.tile({operand::A, 0, 0, 256, 256}), Ref::home},
        y{b.builder.tile({operand::B, 0, 0, 256, 256}), Ref::home};
    const Step step =
        compute_step(b.plan, b.plan.problem, b.builder.compute_queue(0, 0), c, Keep::zero, x, y);
    const double first = b.timed.compute(step, 0), second = b.timed.compute(step, 0);
    EXPECT_NEAR(second, 2 * first, 1e-12);
    EXPECT_LT(b.timed.beside(step, 0), second + first);
}

}  // namespace
}  // namespace gemmill::test
