// SPDX-License-Identifier: Apache-2.0
#include "planner/shape/streamed/bands.hpp"

#include <gtest/gtest.h>

#include "backend/sim/sim.hpp"
#include "exec/run.hpp"
#include "gemmill/error.hpp"
#include "model/engine.hpp"
#include "plan/access.hpp"
#include "support/frame.hpp"
#include "support/plan_case.hpp"
#include "task/problem.hpp"

namespace gemmill::test {
namespace {

constexpr const char* one_gpu = "gpu:1(mem=1GB,s=1T,d=1T,c=1T,z=1T)";

Choice choice_of(const Draft& frame, const Strips& strips) {
    Choice choice;
    choice.devices = frame.devices;
    choice.grid = {1, 1};
    choice.strips = strips;
    return choice;
}

Strips random_bands(Random& random) {
    Strips s;
    s.front = 0.01 * double(random.between(0, 100));
    s.panels = random.between(1, 6);
    s.growth = random.chance(50) ? 1 : 1.5;
    s.strips = random.between(1, 5);
    s.drain = random.below(3);
    s.bands = random.between(0, 4);
    return s;
}

/// All that does not live on the device.
std::int64_t needed(const Draft& plan) {
    std::int64_t bytes = 0;
    for (const OperandId operand : {operand::A, operand::B, operand::C})
        if (plan.problem.home[std::size_t(operand)] != 1)
            bytes += operand_bytes(plan.problem, operand);
    return bytes;
}

TEST(Bands, give_the_right_result_however_they_are_cut_and_whatever_they_may_hold) {
    Random random(12);
    const Machine machine = synthetic_machine(one_gpu);
    int planned = 0;
    for (int i = 0; i < affordable(60) && !HasFailure(); ++i) {
        const Problem problem = random_problem(random, machine, 600);
        if (!is_read(problem, operand::A)) continue;
        Draft plan = frame_of(machine, problem);
        plan.limit[1] = needed(plan) * random.between(40, 300) / 100;
        try {
            plan_bands(plan, choice_of(plan, random_bands(random)));
        } catch (const Error& error) {
            ASSERT_EQ(error.code(), Code::out_of_memory) << error.what();
            continue;
        }
        ++planned;
        ASSERT_LE(plan.slab[1], plan.limit[1]);
        const auto faults = validate(plan);
        ASSERT_TRUE(faults.empty()) << faults.front() << "\n" << to_string(plan);
        Operands x(case_of(problem, random), random);
        x.allow_roundings(roundings(plan));
        SimBackend sim(machine);
        ASSERT_NO_THROW(run(plan, sim, x.binding())) << to_string(plan);
        ASSERT_TRUE(x.check()) << to_string(plan);
    }
    EXPECT_GT(planned, affordable(60) / 4) << "too few of them fit";
}

TEST(Bands, read_a_and_c_once_and_b_once_a_band) {
    const index_t n = 8192;
    Draft plan = frame_of(load_machine("h200"), problem_of(n, n, {0, 0, 0}));
    plan.limit[1] = std::int64_t{800} << 20;
    for (const index_t bands : {2, 4}) {
        Draft cut = plan;
        plan_bands(cut, choice_of(plan, {0.25, false, 8, 1.3, 16, 1, 1, false, 0, bands}));
        const auto read = statistics(cut).read;
        EXPECT_EQ(read[0], n * n * 8);
        EXPECT_EQ(read[1], bands * n * n * 8);
        EXPECT_EQ(read[2], n * n * 8);
    }
}

TEST(Bands, as_few_as_fit) {
    const index_t n = 8192;
    Draft plan = frame_of(load_machine("h200"), problem_of(n, n, {0, 0, 0}));
    const Strips any{0.25, false, 8, 1.3, 16, 1};
    std::int64_t before = 0;
    for (const std::int64_t megabytes : {1200, 700, 400, 200}) {
        Draft cut = plan;
        cut.limit[1] = megabytes << 20;
        plan_bands(cut, choice_of(plan, any));
        EXPECT_GT(statistics(cut).read[1], before) << megabytes;
        before = statistics(cut).read[1];
    }
    plan.limit[1] = 1 << 20;
    EXPECT_THROW(plan_bands(plan, choice_of(plan, any)), Error);
}

TEST(Bands, are_needed_where_one_device_has_no_room) {
    Draft plan = frame_of(load_machine("h200"), problem_of(1024, 1024, {0, 0, 0}));
    EXPECT_FALSE(needs_bands(plan, plan.devices));
    plan.limit[1] = needed(plan) - 1;
    EXPECT_TRUE(needs_bands(plan, plan.devices));
    plan.limit[1] = needed(plan);
    EXPECT_FALSE(needs_bands(plan, plan.devices));
    Draft two =
        frame_of(synthetic_machine("gpu:2(mem=1GB,d=1T)"), problem_of(9999, 9999, {0, 0, 0}));
    EXPECT_FALSE(needs_bands(two, two.devices));
}

TEST(Bands, lose_little_to_plans_with_all_the_memory) {
    const Machine machine = load_machine("h200");
    for (const index_t n : {16384, 32768}) {
        const Problem problem = problem_of(n, n, {0, 0, 0});
        Options options;
        options.devices = "gpu0";
        const double whole = make_plan(problem, machine, options).prediction.seconds;
        options.device_memory = std::int64_t{4} << 30;
        const Plan capped = make_plan(problem, machine, options);
        EXPECT_LT(whole, capped.prediction.seconds);
        EXPECT_GT(whole / capped.prediction.seconds, 0.95) << n;
        EXPECT_TRUE(validate(capped).empty());
    }
}

}  // namespace
}  // namespace gemmill::test
