// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <numeric>

#include "plan/access.hpp"
#include "plan/sample.hpp"
#include "support/rich_plan.hpp"

namespace gemmill::test {
namespace {

TEST(Statistics, of_the_plan_by_hand) {
    const Plan plan = sample_plan();
    const Statistics s = statistics(plan);
    constexpr std::int64_t half = 128 * 64 * 8, quarter = 64 * 64 * 8;
    EXPECT_EQ(s.link_bytes, (std::vector<std::int64_t>{3 * half + 2 * quarter, half,
                                                       half + 2 * quarter, half, 2 * half}));
    EXPECT_EQ(s.moved.h2d, 4 * half + 4 * quarter);
    EXPECT_EQ(s.moved.d2h, 2 * half);
    EXPECT_EQ(s.moved.d2d, 2 * half);
    EXPECT_EQ(s.moved.local, 0);
    EXPECT_EQ(s.bound, (Bytes{.h2d = 6 * half, .d2h = 2 * half}));
    EXPECT_EQ(s.read, (std::vector<std::int64_t>{2 * half, 2 * half, 2 * half}));
    EXPECT_EQ(s.relayed, 0);
    EXPECT_EQ(s.flops, 2.0 * 128 * 128 * 128);
    EXPECT_EQ(s.device_flops, (std::vector<double>{128.0 * 128 * 128, 128.0 * 128 * 128}));
    const auto steps = [&](Opcode op) { return s.steps[static_cast<std::size_t>(op)]; };
    EXPECT_EQ(steps(Opcode::fetch), 12);
    EXPECT_EQ(steps(Opcode::gemm), 4);
    EXPECT_EQ(steps(Opcode::add), 1);
    EXPECT_EQ(steps(Opcode::write), 2);
    EXPECT_EQ(std::accumulate(s.steps.begin(), s.steps.end(), index_t{0}), std::ssize(plan.steps));
    EXPECT_EQ(s.waits, std::ssize(plan.waits));
}

TEST(Statistics, agree_with_the_plan_over_a_sweep) {
    Random random(1);
    for (int i = 0; i < affordable(300); ++i) {
        const Machine machine = random_machine(random);
        const Problem p = random_problem(random, machine, 30);
        Options options;
        options.tile = random.between(4, 30);
        const Plan plan = make_plan(p, machine, options);
        const Statistics s = statistics(plan);
        EXPECT_EQ(s.flops, flops_of(p)) << to_string(plan);
        EXPECT_EQ(s.link_bytes, plan.prediction.link_bytes);
        const auto& m = s.moved;
        EXPECT_EQ(m.h2d + m.d2h + m.d2d + m.local + m.h2h,
                  std::accumulate(s.link_bytes.begin(), s.link_bytes.end(), std::int64_t{0}));
        if (plan.steps.empty()) continue;
        EXPECT_GE(m.h2d, s.bound.h2d) << to_string(plan);
        EXPECT_GE(m.d2h, s.bound.d2h) << to_string(plan);
        if (p.home == std::array<MemoryId, 3>{0, 0, 0}) {
            EXPECT_EQ(s.read[0] + s.read[1] + s.read[2] + s.relayed, m.h2d) << to_string(plan);
        }
    }
}

/// gpu1 computes what lies on gpu0, and no link joins them.
TEST(Statistics, what_passes_through_the_host_is_relayed) {
    const Machine machine = synthetic_machine("gpu:2(mem=1GB,d=1T)");
    Problem p;
    p.m = 30, p.n = 20, p.k = 10;
    p.alpha = p.beta = Factor::general;
    p.home = {1, 1, 1};
    Options options;
    options.devices = "1";
    options.tile = 10;
    const Statistics s = statistics(make_plan(p, machine, options));
    const std::int64_t a = 8 * 30 * 10, b = 8 * 10 * 20, c = 8 * 30 * 20;
    EXPECT_EQ(s.read, (std::vector<std::int64_t>{a, b, c}));
    EXPECT_EQ(s.relayed, a + b + 2 * c);  // C there and back
    EXPECT_EQ(s.moved, (Bytes{.h2d = a + b + 2 * c, .d2h = a + b + 2 * c}));
}

}  // namespace
}  // namespace gemmill::test
