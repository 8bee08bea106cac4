// SPDX-License-Identifier: Apache-2.0
// Every plan that the scheduler makes in a wide sweep (routines, types, flags, placements, caps,
// uneven devices, switches) is valid, stays in its memory and gives the right result.
#include <gtest/gtest.h>

#include "gemmill/error.hpp"
#include "schedule/schedule.hpp"
#include "support/any_order.hpp"
#include "support/goal_case.hpp"
#include "support/schedule_case.hpp"

namespace gemmill::test {
namespace {

TEST(ScheduleSweep, small_plans_are_valid_and_right) {
    Random random(1);
    int made = 0, refused = 0;
    for (int i = 0; i < affordable(3000) && !HasFailure(); ++i) {
        const ScheduleCase x = any_case(random);
        Plan plan;
        try {
            plan = schedule_on_clock(x.frame, x.tasks, x.options);
        } catch (const Error& error) {
            ASSERT_EQ(error.code(), Code::out_of_memory) << error.what() << x.text();
            ++refused;
            continue;
        }
        ++made;
        ASSERT_THAT(validate(plan), ::testing::IsEmpty()) << x.text();
        GoalCase data(plan, random);
        ASSERT_TRUE(right_in_any_order(plan, data, random)) << x.text();
    }
    EXPECT_GT(made, 5 * refused);
}

}  // namespace
}  // namespace gemmill::test
