// SPDX-License-Identifier: Apache-2.0
// From a problem to operands and a goal, and back.
#include "task/describe.hpp"

#include <gtest/gtest.h>

#include "gemmill/error.hpp"
#include "support/goal_case.hpp"
#include "support/level3_case.hpp"
#include "support/plan_case.hpp"

namespace gemmill::test {
namespace {

Problem any_problem(Random& random) {
    const Routine routine = random.chance(10) ? Routine::gemm : random.pick(level3_routines);
    Problem p = routine == Routine::gemm ? random_problem(random, two_gpus(), 9)
                                         : random_level3(random, routine, 9, 3);
    for (index_t& pitch : p.pitch) pitch = random.chance(50) ? 0 : random.between(1, 16);
    return p;
}

/// The same problem may be said in several ways where something is empty or left out; what is said
/// back must mean the same.
TEST(Describe, problems_come_back) {
    Random random(1);
    for (int i = 0; i < affordable(2000); ++i) {
        const Problem p = any_problem(random);
        Plan plan, again;
        describe(p, plan);
        const Problem back = problem_of(plan);
        describe(back, again);
        EXPECT_EQ(again.operands, plan.operands) << describe(p);
        EXPECT_EQ(again.goal, plan.goal) << describe(p);
        if (!is_read(p, operand::A)) continue;
        EXPECT_EQ(back.m, p.m) << describe(p);
        EXPECT_EQ(back.n, p.n) << describe(p);
        EXPECT_EQ(back.k, p.k) << describe(p);
        EXPECT_EQ(back.type, p.type) << describe(p);
        EXPECT_EQ(back.pitch, p.pitch) << describe(p);
        EXPECT_EQ(back.alpha, p.alpha) << describe(p);
        EXPECT_EQ(flops_of(back), flops_of(p)) << describe(p);
    }
}

Scalar number(Factor factor, Scalar general) {
    if (factor == Factor::general) return general;
    return {factor == Factor::one ? 1.0 : 0.0, 0};
}

/// The generic reading of a goal and the reference loops of its routine make the same.
TEST(Describe, goals_mean_what_their_routines_compute) {
    Random random(2);
    for (int i = 0; i < affordable(600); ++i) {
        Problem p = random_level3(random, random.pick(level3_routines), 9);
        p.type = is_complex(p.type) ? Type::z : Type::d;
        Plan plan;
        describe(p, plan);
        GoalCase x(plan, random);
        const Binding given = x.binding();
        Level3Args g = call_of(p, {{given.data[0], given.data[1], given.data[2]},
                                   {given.ld[0], given.ld[1], given.ld[2]},
                                   given.alpha,
                                   given.beta});
        g.alpha = number(p.alpha, given.alpha);
        g.beta = number(p.beta, given.beta);
        reference_level3(g);
        ASSERT_TRUE(x.check()) << describe(p);
    }
}

TEST(Describe, operands_have_shape_triangle_and_structure) {
    Problem p;
    p.routine = Routine::hemm;
    p.uplo = Uplo::Upper;
    p.type = Type::z;
    p.side = Side::Right;
    p.m = 3, p.n = p.k = 5;
    p.home = {1, 0, 2};
    Plan plan;
    describe(p, plan);
    ASSERT_EQ(plan.operands.size(), 3U);
    EXPECT_EQ(plan.operands[0],
              (Operand{"A", Type::z, 5, 5, Triangle::upper, Structure::hermitian, 1}));
    EXPECT_EQ(plan.operands[1],
              (Operand{"B", Type::z, 3, 5, Triangle::none, Structure::general, 0}));
    EXPECT_EQ(plan.operands[2],
              (Operand{"C", Type::z, 3, 5, Triangle::none, Structure::general, 2}));
    EXPECT_EQ(plan.goal.terms,
              (std::vector<Term>{{Scale::one, operand::B, operand::A, Op::NoTrans, Op::NoTrans}}));
}

TEST(Describe, a_goal_of_no_routine_is_refused) {
    Plan plan;
    describe(Problem{.m = 3, .n = 3, .k = 3}, plan);
    plan.goal.keep = Scale::minus_one;
    try {
        problem_of(plan);
        FAIL() << "C = -C + A B is no routine";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), Code::invalid_plan);
        EXPECT_NE(error.text().find("C = -1 C + A B"), std::string::npos) << error.text();
    }
    EXPECT_THROW(problem_of(Plan{}), Error);
}

TEST(Describe, bounds_follow_from_the_goal) {
    const Machine machine = synthetic_machine("gpu:1(mem=1GB,d=1T)");
    Problem p;
    p.m = p.n = p.k = 1000;
    p.home = {1, 1, 1};
    const DeviceId devices[] = {0};
    // The call, the issue of a step, its launch and the arithmetic.
    const double host = machine.call + machine.issue + machine.devices[0].launch;
    const auto expect = [&](double seconds) {
        EXPECT_NEAR(bound_seconds(machine, p, devices), host + seconds, 2e-4 * seconds);
    };
    expect(2e9 / 1e12);
    p.routine = Routine::trmm;
    expect(1000.0 * 1000 * 1001 / 1e12);
}

}  // namespace
}  // namespace gemmill::test
