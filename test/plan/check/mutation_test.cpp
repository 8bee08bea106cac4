// SPDX-License-Identifier: Apache-2.0
// Plans with something broken in them: validate() finds it, or the plan is right all the same in
// every order that its queues and waits allow.
#include <gtest/gtest.h>

#include "plan/block_plan.hpp"
#include "plan/check/mutants.hpp"
#include "plan/check/split.hpp"
#include "support/rich_plan.hpp"

namespace gemmill::test {
namespace {

/// Small plans of the planner and by hand.
Plan whole_plan(Random& random) {
    if (random.chance(20)) return block_plan();
    if (random.chance(30)) return rich_plan(random);
    for (;;) {
        Machine machine = random_machine(random);
        for (Memory& memory : machine.memories) memory.capacity = 1 << 16;
        const Problem problem = random_problem(random, machine, 9);
        try {
            return make_plan(problem, machine, random_options(random, machine, 9));
        } catch (const Error&) {  // a cap that holds no tile
        }
    }
}

/// Such a plan with some of its steps cut.
Plan base_plan(Random& random) {
    Plan plan = whole_plan(random);
    for (index_t cuts = random.chance(50) ? 0 : random.below(8); cuts > 0; --cuts)
        if (!plan.steps.empty())
            split_step(random, plan, static_cast<StepId>(random.below(std::ssize(plan.steps))));
    return plan;
}

TEST(Mutation, what_validate_accepts_is_right_in_every_order) {
    Random random(5);
    judge_mutants(random, 4000, base_plan, 10'000);
}

}  // namespace
}  // namespace gemmill::test
