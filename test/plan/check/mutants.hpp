// SPDX-License-Identifier: Apache-2.0
// What becomes of plans with something broken in them.
#pragma once

#include <gtest/gtest.h>

#include "plan/check/mutate.hpp"
#include "support/any_order.hpp"
#include "support/goal_case.hpp"
#include "support/plan_case.hpp"

namespace gemmill::test {

/// Breaks `bases` plans, each in a dozen ways: validate() refuses it, or the plan is right all the
/// same in every order that its queues and waits allow.
inline void judge_mutants(Random& random, int bases, Plan (*make_plan)(Random&),
                          int least_refused) {
    int accepted = 0, refused = 0;
    for (int i = 0; i < affordable(bases) && !::testing::Test::HasFailure(); ++i) {
        const Plan base = make_plan(random);
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
    EXPECT_GT(refused, least_refused / slowdown);
}

}  // namespace gemmill::test
