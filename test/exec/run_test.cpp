// SPDX-License-Identifier: Apache-2.0
#include "exec/run.hpp"

#include <gtest/gtest.h>

#include "backend/sim/sim.hpp"
#include "model/engine.hpp"
#include "support/any_order.hpp"
#include "support/rich_plan.hpp"
#include "task/describe.hpp"

namespace gemmill::test {
namespace {

TEST(Run, returns_when_each_step_ran) {
    Random random(1);
    const Plan plan = rich_plan(random);
    SimBackend sim(plan.machine);
    Operands x(case_of(problem_of(plan), random), random);
    EXPECT_EQ(run(plan, sim, x.binding()), simulate(plan));
    EXPECT_TRUE(x.check());
}

TEST(Run, an_empty_plan_does_nothing) {
    Plan plan;
    plan.machine = synthetic_machine("gpu:1");
    plan.slab = {0, 0};
    SimBackend sim(plan.machine);
    EXPECT_TRUE(run(plan, sim, Binding{}).empty());
}

/// A step whose wait never ends: the walker says so instead of returning.
TEST(Run, a_step_that_never_starts_is_an_internal_error) {
    Random random(2);
    Plan plan = rich_plan(random);
    plan.waits.push_back(static_cast<StepId>(plan.steps.size()) + 5);
    plan.steps.back().wait_begin = static_cast<std::int32_t>(plan.waits.size()) - 1;
    plan.steps.back().wait_count = 1;
    SimBackend sim(plan.machine);
    try {
        run(plan, sim, Binding{});
        FAIL() << "nothing was thrown";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), Code::internal) << error.what();
    }
}

/// Law: the user's C is intact until its one write, in every order.
TEST(Run, plans_of_the_planner_are_right_in_any_order) {
    Random random(3);
    for (int i = 0; i < affordable(400); ++i) {
        const Machine machine = random_machine(random);
        const Problem p = random_problem(random, machine, 16);
        Options options;
        options.tile = random.between(2, 9);
        const Plan plan = make_plan(p, machine, options);
        Operands x(case_of(p, random), random);
        x.allow_roundings(roundings(plan));
        for (int order = 0; order < 3; ++order)
            ASSERT_TRUE(right_in_any_order(plan, x, random)) << to_string(plan);
    }
}

}  // namespace
}  // namespace gemmill::test
