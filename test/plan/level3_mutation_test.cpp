// SPDX-License-Identifier: Apache-2.0
// Plans of all routines of level 3 with something broken in them: validate() finds it, or the plan
// is right all the same in every order that its queues and waits allow.
#include <gtest/gtest.h>

#include "plan/mutate.hpp"
#include "support/any_order.hpp"
#include "support/level3_case.hpp"
#include "support/machines.hpp"
#include "support/plan_case.hpp"

namespace gemmill::test {
namespace {

Plan sound_plan(Random& random) {
    for (;;) {
        Machine machine = random_machine(random);
        for (Memory& memory : machine.memories) memory.capacity = 1 << 16;
        const Problem p =
            random_level3(random, random.pick(level3_routines), 9, std::ssize(machine.memories));
        try {
            return make_plan(p, machine, random_options(random, machine, 9));
        } catch (const Error&) {  // a cap that holds no tile
        }
    }
}

void change_flags(Random& random, Problem& p) {
    switch (random.below(4)) {
        case 0:
            p.uplo = p.uplo == Uplo::Lower ? Uplo::Upper : Uplo::Lower;
            break;
        case 1:
            p.side = p.side == Side::Left ? Side::Right : Side::Left;
            break;
        case 2:
            p.diag = p.diag == Diag::Unit ? Diag::NonUnit : Diag::Unit;
            break;
        default:
            p.routine = random.pick(level3_routines);
    }
}

TEST(Level3Mutation, what_validate_accepts_is_right_in_every_order) {
    Random random(6);
    int accepted = 0, refused = 0;
    for (int i = 0; i < affordable(3000) && !HasFailure(); ++i) {
        const Plan base = sound_plan(random);
        ASSERT_TRUE(validate(base).empty()) << validate(base).front() << "\n"
                                            << describe(base.problem);
        for (int j = 0; j < 12; ++j) {
            Plan plan = base;
            for (index_t count = random.between(1, 2); count > 0; --count) {
                if (random.chance(8))
                    change_flags(random, plan.problem);
                else
                    mutate(random, plan);
            }
            if (!validate(plan).empty()) {
                ++refused;
                continue;
            }
            ++accepted;
            Level3Operands x(plan.problem, random);
            for (int order = 0; order < 3; ++order)
                ASSERT_TRUE(right_in_any_order(plan, x, random))
                    << "mutant " << i << "." << j << "\n"
                    << describe(plan.problem) << "\nbefore:\n"
                    << to_text(base) << "\nafter:\n"
                    << to_text(plan);
        }
    }
    EXPECT_GT(accepted, 1000 / slowdown);
    EXPECT_GT(refused, 8000 / slowdown);
}

}  // namespace
}  // namespace gemmill::test
