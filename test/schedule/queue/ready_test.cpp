// SPDX-License-Identifier: Apache-2.0
#include "schedule/queue/ready.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

namespace gemmill::test {
namespace {

std::vector<TaskId> all_of(const ReadyQueue& queue, int most = 1000) {
    std::vector<TaskId> all;
    queue.each(most, [&](TaskId t) { all.push_back(t); });
    return all;
}

Tasks square_product(index_t tiles) {
    Problem p;
    p.m = p.n = p.k = 8 * tiles;
    return tasks_of(p, {8, 8, 8});
}

TEST(ReadyQueue, goes_by_squares_or_by_columns) {
    const Tasks tasks = square_product(4);
    EXPECT_THAT(all_of(ReadyQueue(tasks, false), 5), ::testing::ElementsAre(0, 1, 2, 3, 4));
    // Rows 0 and 1 of columns 0 and 1, then the square below.
    EXPECT_THAT(all_of(ReadyQueue(tasks, true), 6), ::testing::ElementsAre(0, 1, 4, 5, 2, 3));
}

TEST(ReadyQueue, goes_strip_by_strip) {
    const Tasks tasks = square_product(4);
    Walk walk;
    walk.strip = 2;
    const ReadyQueue columns(tasks, true, {}, walk);
    EXPECT_TRUE(columns.strict());
    EXPECT_THAT(all_of(columns, 5), ::testing::ElementsAre(0, 4, 1, 5, 2)) << "row by row";
    walk.rows = true;
    EXPECT_THAT(all_of(ReadyQueue(tasks, true, {}, walk), 5),
                ::testing::ElementsAre(0, 1, 4, 5, 8));
}

TEST(ReadyQueue, squares_at_the_diagonal_may_come_last) {
    Problem p;
    p.routine = Routine::syrk;
    p.m = p.n = p.k = 24;
    const Tasks tasks = tasks_of(p, {8, 8, 8});
    Walk walk;
    walk.diagonal_last = true;
    EXPECT_THAT(all_of(ReadyQueue(tasks, true, {}, walk)),
                ::testing::ElementsAre(1, 2, 4, 0, 3, 5));
}

TEST(ReadyQueue, the_largest_come_first_where_inputs_come_together) {
    Problem p;
    p.routine = Routine::syrk;
    p.m = p.n = p.k = 24;
    const Tasks tasks = tasks_of(p, {16, 8, 8, 0, true});
    const auto rows = [&](TaskId t) {
        return tasks
            .tiles[static_cast<std::size_t>(tasks.tasks[static_cast<std::size_t>(t)].target)]
            .rows;
    };
    const std::vector<TaskId> all = all_of(ReadyQueue(tasks, true));
    EXPECT_TRUE(std::ranges::is_sorted(all, std::greater<>{}, rows));
}

TEST(ReadyQueue, chains_may_follow_each_other) {
    Problem p;
    p.routine = Routine::trmm;
    p.m = p.k = 16, p.n = 24;
    const Tasks tasks = tasks_of(p, {8, 8, 8});
    Walk walk;
    walk.chains = 1;
    ReadyQueue queue(tasks, true, {}, walk);
    EXPECT_THAT(all_of(queue), ::testing::ElementsAre(1, 3, 5));
    queue.remove(1);
    queue.begin(1);
    EXPECT_THAT(all_of(queue), ::testing::ElementsAre(0, 3, 5)) << "the rest of the first chain";
}

TEST(ReadyQueue, tasks_join_when_all_before_them_have_begun) {
    Problem p;
    p.routine = Routine::trsm;
    p.m = p.k = 24, p.n = 8;
    const Tasks tasks = tasks_of(p, {8, 8, 8});
    ReadyQueue queue(tasks, true);
    for (const TaskId next : {0, 1, 2}) {
        EXPECT_THAT(all_of(queue), ::testing::ElementsAre(next));
        queue.remove(next);
        EXPECT_TRUE(queue.empty());
        queue.begin(next);
    }
    EXPECT_TRUE(queue.empty());
}

TEST(ReadyQueue, what_is_overwritten_comes_after_its_readers) {
    Problem p;
    p.routine = Routine::trmm;
    p.m = p.k = 24, p.n = 8;
    const Tasks tasks = tasks_of(p, {8, 8, 8});
    ReadyQueue queue(tasks, true);
    EXPECT_THAT(all_of(queue), ::testing::ElementsAre(2));
}

TEST(ReadyQueue, what_was_dealt_has_lanes) {
    const Tasks tasks = square_product(3);
    ReadyQueue queue(tasks, false, {{7, 2, 5}, {4}});
    EXPECT_THAT(all_of(queue), ::testing::ElementsAre(0, 1, 3, 6, 8));
    EXPECT_EQ(queue.size(), 9u);
    EXPECT_EQ(queue.first_of(0), 7) << "in the order of the deal";
    EXPECT_EQ(queue.first_of(1), 4);
    EXPECT_EQ(queue.first_of(2), std::nullopt);
    EXPECT_EQ(queue.last_of_longest(), 5);
    queue.remove(7);
    EXPECT_EQ(queue.first_of(0), 2);
    queue.remove(4);
    EXPECT_EQ(queue.first_of(1), std::nullopt);
    EXPECT_EQ(queue.size(), 7u);
}

TEST(ReadyQueue, a_lane_offers_what_is_ready) {
    Problem p;
    p.routine = Routine::trsm;
    p.m = p.k = 24, p.n = 8;
    const Tasks tasks = tasks_of(p, {8, 8, 8});
    ReadyQueue queue(tasks, true, {{2, 1}});
    EXPECT_EQ(queue.first_of(0), std::nullopt) << "both wait for the first block";
    queue.remove(0);
    queue.begin(0);
    EXPECT_EQ(queue.first_of(0), 1) << "the one before it in the deal is not ready";
}

/// A triangle of 6 rows and 2 columns of tiles, each column dealt to a device.
Tasks two_chains() {
    Problem p;
    p.routine = Routine::trsm;
    p.m = p.k = 48, p.n = 16;
    return tasks_of(p, {8, 8, 8});
}

TEST(ReadyQueue, the_lane_that_is_behind_in_its_chain_gets_help) {
    const Tasks tasks = two_chains();
    ReadyQueue queue(tasks, true, {{0, 1, 2, 3, 4, 5}, {6, 7, 8, 9, 10, 11}});
    const auto begin = [&](TaskId t) { queue.remove(t), queue.begin(t); };
    for (const TaskId t : {0, 6, 1}) {
        EXPECT_EQ(queue.last_of_laggard(0), std::nullopt) << "so far tasks in flight explain it";
        begin(t);
    }
    begin(2);
    EXPECT_EQ(queue.first_of(0), 3);
    EXPECT_EQ(queue.last_of_laggard(0), 7) << "the other one is two behind";
    EXPECT_EQ(queue.last_of_laggard(1), std::nullopt);
    EXPECT_EQ(queue.last_of_laggard(2), std::nullopt) << "who has no lane steals otherwise";
}

}  // namespace
}  // namespace gemmill::test
