// SPDX-License-Identifier: Apache-2.0
#include "plan/build/steps.hpp"

#include <gtest/gtest.h>

#include "plan/access.hpp"
#include "task/describe.hpp"

namespace gemmill::test {
namespace {

/// Of a rank update of which the lower triangle is made.
Plan lower_plan(Routine routine) {
    Problem p;
    p.routine = routine;
    p.m = p.n = p.k = 8;
    p.alpha = p.beta = Factor::general;
    Plan plan;
    describe(p, plan);
    plan.tiles = {
        {2, 0, 0, 4, 4}, {2, 4, 0, 4, 4}, {0, 0, 0, 4, 4}, {0, 4, 0, 4, 4}, {0, 0, 4, 4, 4}};
    return plan;
}

TEST(Steps, keep_follows_from_the_goal) {
    Plan plan = lower_plan(Routine::gemm);
    EXPECT_EQ(scale_of(plan, Keep::old), Scale::beta);
    EXPECT_EQ(scale_of(plan, Keep::sum), Scale::one);
    EXPECT_EQ(scale_of(plan, Keep::zero), Scale::zero);
    EXPECT_EQ(add_step(plan, 3, {0, 1}, Keep::old, {0, 2}).weight, Scale::beta);
    EXPECT_EQ(add_step(plan, 3, {0, 1}, Keep::sum, {0, 2}).weight, Scale::one);
}

TEST(Steps, squares_at_the_diagonal_of_the_target_are_written_by_triangle) {
    const Plan plan = lower_plan(Routine::syrk);
    EXPECT_EQ(triangle_at(plan, plan.tiles[0]), Triangle::lower);
    EXPECT_EQ(triangle_at(plan, plan.tiles[1]), Triangle::none);
    EXPECT_EQ(triangle_at(plan, plan.tiles[2]), Triangle::none);  // of A
    EXPECT_EQ(move_step(plan, Opcode::write, {0, 0}, {0, Ref::home}).triangle, Triangle::lower);
    EXPECT_EQ(move_step(plan, Opcode::write, {1, 0}, {1, Ref::home}).triangle, Triangle::none);
    EXPECT_EQ(move_step(plan, Opcode::fetch, {0, Ref::home}, {0, 0}).triangle, Triangle::none);
    EXPECT_EQ(bytes_moved(plan, move_step(plan, Opcode::write, {0, 0}, {0, Ref::home})), 8 * 10);
}

TEST(Steps, moves_in_pieces) {
    const Plan plan = lower_plan(Routine::gemm);
    const Step step = move_step(plan, Opcode::fetch, {2, Ref::home}, {2, 5}, 1, 3);
    EXPECT_EQ(step.piece, 1);
    EXPECT_EQ(step.pieces, 3);
    EXPECT_EQ(step.in[0], (Ref{2, Ref::home}));
    EXPECT_EQ(step.out, (Ref{2, 5}));
    EXPECT_EQ(bytes_moved(plan, step), 8 * 4);
}

TEST(Steps, mirrors_take_the_triangle_that_is_stored) {
    const Plan plan = lower_plan(Routine::symm);
    const Step step = mirror_step(plan, 1, {4, 0}, {3, 0});
    EXPECT_EQ(step.op, Opcode::mirror);
    EXPECT_EQ(step.triangle, Triangle::lower);
    EXPECT_EQ(image_of(plan.tiles[4]), plan.tiles[3]);
}

}  // namespace
}  // namespace gemmill::test
