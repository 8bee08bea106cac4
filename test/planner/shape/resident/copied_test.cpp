// SPDX-License-Identifier: Apache-2.0
#include "planner/shape/resident/copied.hpp"

#include <gtest/gtest.h>

#include "gemmill/error.hpp"
#include "support/any_order.hpp"
#include "support/frame.hpp"
#include "support/level3_case.hpp"
#include "support/machines.hpp"
#include "task/problem.hpp"

namespace gemmill::test {
namespace {

const Machine& one_gpu() {
    static const Machine one = synthetic_machine("gpu:1(mem=1GB,d=1T,s=1T,c=1T,z=1T)");
    return one;
}

Choice first_device() {
    Choice choice;
    choice.devices = {0};
    return choice;
}

Draft in_core(Problem p, index_t grain) {
    p.home = {1, 1, 1};
    Draft plan = frame_of_one(one_gpu(), p);
    plan.grain = grain;
    return plan;
}

TEST(Copied, plans_are_right_in_any_order) {
    Random random(5);
    int made = 0;
    for (int i = 0; i < affordable(600) && !HasFailure(); ++i) {
        Problem p = random_level3(random, random.pick(level3_routines), 40, 2);
        for (index_t& pitch : p.pitch) pitch = random.chance(50) ? 0 : random.between(1, 64);
        Draft plan = in_core(p, random.between(2, 16));
        if (!is_copied(plan, first_device())) continue;
        plan_copied(plan, first_device());
        ++made;
        ASSERT_TRUE(validate(plan).empty()) << validate(plan).front() << "\n" << describe(p);
        Level3Operands x(plan.problem, random);
        ASSERT_TRUE(right_in_any_order(plan, x, random)) << describe(p);
    }
    EXPECT_GT(made, affordable(600) / 3);
}

TEST(Copied, only_odd_matrices_are_copied) {
    Draft plan = in_core(problem_of(32, 20, {1, 1, 1}), 16);
    plan_copied(plan, first_device());
    // A is 32 x 20 and B 20 x 32; C stays where it lies.
    EXPECT_EQ(plan.steps.size(), 3U);
    EXPECT_EQ(plan.buffers.size(), 2U);
    EXPECT_EQ(plan.steps.back().out.buffer, Ref::home);
}

/// A part of a larger matrix whose columns are an odd number of elements apart.
TEST(Copied, even_matrices_at_odd_distances_are_copied_too) {
    Problem p = problem_of(32, 32, {1, 1, 1});
    p.pitch = {1, 16, 2};
    Draft plan = in_core(p, 16);
    plan_copied(plan, first_device());
    // A, and C there and back.
    EXPECT_EQ(plan.buffers.size(), 2U);
    EXPECT_EQ(plan.steps.size(), 4U);
}

/// C = A B^T: the columns of A and C have m elements, those of B n, and none k.
TEST(Copied, sizes_that_are_no_length_of_a_column_are_left_as_they_are) {
    Problem p = problem_of(32, 21, {1, 1, 1});
    p.n = 20, p.op_b = Op::Trans;
    Draft plan = in_core(p, 16);
    plan_copied(plan, first_device());
    // A is 32 x 21, B 20 x 21 and C 32 x 20: B and C are copied, C there and back.
    EXPECT_EQ(plan.buffers.size(), 2U);
    EXPECT_EQ(plan.steps.size(), 4U);
}

TEST(Copied, needs_everything_on_the_device) {
    const Problem p = problem_of(33, 33, {1, 0, 1});
    Draft plan = frame_of_one(one_gpu(), p);
    plan.grain = 16;
    EXPECT_FALSE(is_copied(plan, first_device()));
    EXPECT_TRUE(is_copied(in_core(p, 16), first_device()));
    EXPECT_FALSE(is_copied(in_core(p, 1), first_device()));
}

TEST(Copied, copies_that_do_not_fit_are_an_error) {
    Draft plan = in_core(problem_of(33, 33, {1, 1, 1}), 16);
    plan.limit[1] = 3 * 48 * 48 * 8 - 1;
    EXPECT_THROW(plan_copied(plan, first_device()), Error);
}

}  // namespace
}  // namespace gemmill::test
