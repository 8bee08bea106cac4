// SPDX-License-Identifier: Apache-2.0
// Plans of all routines of level 3 with something broken in them: validate() finds it, or the plan
// is right all the same in every order that its queues and waits allow.
#include <gtest/gtest.h>

#include "plan/check/mutate.hpp"
#include "support/any_order.hpp"
#include "support/goal_case.hpp"
#include "support/level3_case.hpp"
#include "support/machines.hpp"
#include "support/mirrored_plan.hpp"
#include "support/plan_case.hpp"

namespace gemmill::test {
namespace {

Plan sound_plan(Random& random) {
    for (;;) {
        Machine machine = random_machine(random);
        for (Memory& memory : machine.memories) memory.capacity = 1 << 16;
        Problem p =
            random_level3(random, random.pick(level3_routines), 9, std::ssize(machine.memories));
        try {
            if (mirrors(p.routine) && is_read(p, operand::A) && random.chance(30)) {
                p.home = {0, 0, 0};
                return mirrored_plan(p, machine);
            }
            return make_plan(p, machine, random_options(random, machine, 9));
        } catch (const Error&) {  // a cap that holds no tile
        }
    }
}

TEST(Level3Mutation, what_validate_accepts_is_right_in_every_order) {
    Random random(6);
    int accepted = 0, refused = 0;
    for (int i = 0; i < affordable(3000) && !HasFailure(); ++i) {
        const Plan base = sound_plan(random);
        ASSERT_TRUE(validate(base).empty()) << validate(base).front() << "\n" << to_string(base);
        for (int j = 0; j < 12; ++j) {
            Plan plan = base;
            for (index_t count = random.between(1, 2); count > 0; --count) mutate(random, plan);
            if (!validate(plan).empty()) {
                ++refused;
                continue;
            }
            ++accepted;
            GoalCase x(plan, random);
            for (int order = 0; order < 3; ++order)
                ASSERT_TRUE(right_in_any_order(plan, x, random))
                    << "mutant " << i << "." << j << "\n"
                    << to_string(plan) << "\nbefore:\n"
                    << to_text(base) << "\nafter:\n"
                    << to_text(plan);
        }
    }
    EXPECT_GT(accepted, 1000 / slowdown);
    EXPECT_GT(refused, 8000 / slowdown);
}

}  // namespace
}  // namespace gemmill::test
