// SPDX-License-Identifier: Apache-2.0
// Plans of all routines of level 3 with something broken in them: validate() finds it, or the plan
// is right all the same in every order that its queues and waits allow.
#include <gtest/gtest.h>

#include "plan/check/mutants.hpp"
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
    judge_mutants(random, 3000, sound_plan, 8000);
}

}  // namespace
}  // namespace gemmill::test
