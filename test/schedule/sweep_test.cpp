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

/// Each line of blocks goes to other devices, in other pieces.
TEST(ScheduleSweep, what_is_solved_where_it_lives_is_read_in_pieces_of_many_sizes) {
    Random random(2);
    Machine machine =
        synthetic_machine("gpu:8(mem=1GB,d=1G,s=1G,c=1G,z=1G) nvswitch:1GB/s pcie:1GB/s");
    machine.issue = 0;
    for (int i = 0; i < affordable(200) && !HasFailure(); ++i) {
        ScheduleCase x;
        x.problem = random_level3(random, Routine::trsm, 40, std::ssize(machine.memories));
        x.problem.home[operand::C] = 1 + static_cast<MemoryId>(random.below(8));
        const auto size = [&] { return random.between(3, 16); };
        x.tiles = {size(), size(), size()};
        x.frame = frame_of(x.problem, machine);
        x.tasks = tasks_of(x.problem, x.tiles);
        x.options.piece = 16;
        x.options.chains = false;
        const Plan plan = schedule_on_clock(x.frame, x.tasks, x.options);
        ASSERT_THAT(validate(plan), ::testing::IsEmpty()) << x.text();
        GoalCase data(plan, random);
        ASSERT_TRUE(right_in_any_order(plan, data, random)) << x.text();
    }
}

}  // namespace
}  // namespace gemmill::test
