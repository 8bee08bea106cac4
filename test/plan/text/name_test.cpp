// SPDX-License-Identifier: Apache-2.0
// Names of tiles, queues, steps and goals.
#include <gtest/gtest.h>

#include "gemmill/plan.hpp"
#include "plan/sample.hpp"

namespace gemmill {
namespace {

TEST(PlanName, TileByItsRanges) {
    const Plan plan = test::sample_plan();
    EXPECT_EQ(name_of(plan, Tile{operand::C, 0, 2048, 2048, 2048}), "C[0:2048,2048:4096]");
    EXPECT_EQ(name_of(plan, Tile{operand::A, 5, 0, 1, 3}), "A[5:6,0:3]");
    EXPECT_EQ(name_of(Plan{}, Tile{7, 5, 0, 1, 3}), "[7][5:6,0:3]");
}

TEST(PlanName, QueueByItsDeviceOrLink) {
    const Plan plan = test::sample_plan();
    EXPECT_EQ(name_of(plan, plan.queues[0]), "gpu0 compute");
    EXPECT_EQ(name_of(plan, plan.queues[2]), "host -> gpu0");
    EXPECT_EQ(name_of(plan, plan.queues[6]), "gpu0 -> gpu1");
}

TEST(PlanName, QueuesOfOneDeviceOrLinkAreNumbered) {
    Plan plan = test::sample_plan();
    plan.queues.push_back({QueueKind::compute, 0});
    plan.queues.push_back({QueueKind::transfer, 0});
    EXPECT_EQ(name_of(plan, plan.queues[0]), "gpu0 compute 1");
    EXPECT_EQ(name_of(plan, plan.queues[1]), "gpu1 compute");
    EXPECT_EQ(name_of(plan, plan.queues[2]), "host -> gpu0 #1");
    EXPECT_EQ(name_of(plan, plan.queues[7]), "gpu0 compute 2");
    EXPECT_EQ(name_of(plan, plan.queues[8]), "host -> gpu0 #2");
}

TEST(PlanName, QueueOfNothing) {
    EXPECT_EQ(name_of(Plan{}, Queue{QueueKind::compute, 3}), "[3] compute");
    EXPECT_EQ(name_of(Plan{}, Queue{QueueKind::transfer, -1}), "link [-1]");
}

TEST(PlanName, StepsAsFormulas) {
    const Plan plan = test::sample_plan();
    EXPECT_EQ(name_of(plan, plan.steps[3]), "fetch A[0:128,0:64]@5 <- A[0:128,0:64]@0");
    EXPECT_EQ(name_of(plan, plan.steps[7]),
              "gemm C[0:128,0:64]@4 <- beta C + alpha A[0:128,0:64]@0 B[0:64,0:64]@2");
    EXPECT_EQ(name_of(plan, plan.steps[16]), "add C[0:128,64:128]@9 <- beta C[0:128,64:128]@10");
}

std::string formula(const Problem& problem) {
    Plan plan;
    describe(problem, plan);
    return formula_of(plan);
}

TEST(PlanName, GoalsAsFormulas) {
    Problem p = test::gemm_problem(4, 4, 4);
    p.op_b = Op::Trans;
    EXPECT_EQ(formula(p), "C = beta C + alpha A B'");
    p.beta = Factor::zero, p.alpha = Factor::one;
    EXPECT_EQ(formula(p), "C = A B'");
    p.alpha = Factor::zero;
    EXPECT_EQ(formula(p), "C = 0");
    p = test::gemm_problem(4, 4, 4);
    p.routine = Routine::her2k;
    EXPECT_EQ(formula(p), "C = beta C + alpha A B^H + conj(alpha) B A^H");
    p.routine = Routine::trsm;
    EXPECT_EQ(formula(p), "C = alpha A^-1 C");
    p.side = Side::Right, p.op_a = Op::ConjTrans, p.alpha = Factor::one;
    EXPECT_EQ(formula(p), "C = C A^H^-1");
}

}  // namespace
}  // namespace gemmill
