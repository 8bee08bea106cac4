// SPDX-License-Identifier: Apache-2.0
#include "schedule/queue/lockstep.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace gemmill::test {
namespace {

/// 4 x 4 targets of 8 x 8 with 4 terms each.
Tasks some_tasks() {
    Problem p;
    p.m = p.n = p.k = 32;
    return tasks_of(p, {8, 8, 8});
}

TEST(Lockstep, a_lead_is_over_the_last_of_the_block_begun_or_not) {
    const Tasks tasks = some_tasks();
    std::vector<TaskId> order(16);
    std::iota(order.begin(), order.end(), 0);
    Lockstep steps(tasks, order, 4);
    steps.advance(0), steps.advance(0);
    EXPECT_EQ(steps.lead(0), 2);
    EXPECT_EQ(steps.lead(1), 0);
    EXPECT_EQ(steps.lead(4), 0) << "of another block";
    for (const TaskId t : {1, 2, 3}) steps.advance(t);
    EXPECT_EQ(steps.lead(0), 1);
    for (const TaskId t : {1, 2, 3})
        for (int term = 1; term < 4; ++term) steps.advance(t);
    EXPECT_EQ(steps.lead(0), 0) << "who has issued all holds nobody back";
}

TEST(Lockstep, without_blocks_nobody_leads) {
    const Tasks tasks = some_tasks();
    Lockstep steps(tasks, {}, 0);
    steps.advance(0);
    EXPECT_EQ(steps.lead(0), 0);
}

TEST(Lockstep, strips_make_blocks_square) {
    EXPECT_EQ(strip_for(some_tasks(), 4), 2);
    Problem p;
    p.m = 64, p.n = p.k = 32;
    EXPECT_EQ(strip_for(tasks_of(p, {32, 8, 8}), 4), 4) << "tall targets beside each other";
}

}  // namespace
}  // namespace gemmill::test
