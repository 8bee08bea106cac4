// SPDX-License-Identifier: Apache-2.0
#include "schedule/queue/stations.hpp"

#include <gtest/gtest.h>

#include "support/schedule_case.hpp"

namespace gemmill::test {
namespace {

/// 4 x 4 targets of two terms each on two devices that are joined.
class StationsTest : public ::testing::Test {
  protected:
    StationsTest() {
        p_.m = p_.n = 32, p_.k = 16;
        tasks_ = tasks_of(p_, {8, 8, 8});
        plan_ = frame_of(p_, two_gpus());
        plan_.tiles = tasks_.tiles;
        directory_.emplace(tasks_.tiles.size(), plan_.machine.memories.size());
    }
    void start(const ScheduleOptions& options) {
        options_ = options;
        queue_.emplace(tasks_, options_.squares);
        stations_.emplace(plan_, tasks_, options_, *directory_);
    }
    TileId input(TaskId task, std::size_t term, std::size_t i) const {
        return terms_of(tasks_, tasks_.tasks[static_cast<std::size_t>(task)])[term].in[i].tile;
    }

    Problem p_;
    Tasks tasks_;
    Plan plan_;
    ScheduleOptions options_;
    std::optional<Directory> directory_;
    std::optional<ReadyQueue> queue_;
    std::optional<Stations> stations_;
};

TEST_F(StationsTest, what_was_dealt_comes_first_and_is_stolen_last) {
    start({});
    queue_.emplace(tasks_, options_.squares, Deal{{}, {9, 3}});
    EXPECT_EQ(stations_->top(1, *queue_), 9);
    EXPECT_EQ(stations_->top(0, *queue_), 0);
    while (true) {
        const auto next = stations_->top(0, *queue_);
        if (next == 3 || next == 9) break;
        ASSERT_TRUE(next);
        stations_->remove(0, *next);
    }
    EXPECT_TRUE(queue_->empty()) << "the queue was not empty";
    EXPECT_EQ(stations_->top(0, *queue_), 3) << "the last of the other's";
    options_.stealing = false;
    EXPECT_EQ(stations_->top(0, *queue_), std::nullopt);
}

TEST_F(StationsTest, equation_3_in_the_mean) {
    start({});
    const double inputs = 2.0 * tasks_.tasks[0].terms.count;
    EXPECT_EQ(stations_->priority(0, 0), 0);
    directory_->add(input(0, 0, 0), 1, 7);  // on the first device
    EXPECT_DOUBLE_EQ(stations_->priority(0, 0), 2 / inputs);
    EXPECT_DOUBLE_EQ(stations_->priority(1, 0), 1 / inputs);
    directory_->add(input(0, 1, 1), 2, 8);
    EXPECT_DOUBLE_EQ(stations_->priority(0, 0), 3 / inputs);
    EXPECT_DOUBLE_EQ(stations_->priority(1, 0), 3 / inputs);
}

TEST_F(StationsTest, without_l2_a_neighbour_counts_for_nothing) {
    ScheduleOptions options;
    options.l2 = false;
    start(options);
    directory_->add(input(0, 0, 0), 1, 7);
    EXPECT_EQ(stations_->priority(1, 0), 0);
}

TEST_F(StationsTest, what_is_at_hand_goes_first) {
    start({});
    directory_->add(input(9, 0, 0), 2, 7);
    EXPECT_EQ(tasks_.tasks[9].row, 1);
    const auto first = stations_->top(1, *queue_);
    ASSERT_TRUE(first.has_value());
    EXPECT_EQ(tasks_.tasks[static_cast<std::size_t>(*first)].row, 1) << "of the row that is there";
}

TEST_F(StationsTest, are_filled_and_emptied) {
    ScheduleOptions options;
    options.locality = false;
    start(options);
    EXPECT_EQ(stations_->top(0, *queue_), 0);
    EXPECT_EQ(stations_->waiting(), 4u);
    EXPECT_EQ(queue_->size(), 12u);
    stations_->remove(0, 0);
    EXPECT_EQ(stations_->top(0, *queue_), 1);
    EXPECT_EQ(queue_->size(), 11u);
}

TEST_F(StationsTest, an_idle_device_steals_when_the_queue_is_empty) {
    for (const bool stealing : {true, false}) {
        ScheduleOptions options;
        options.station = 16;
        options.stealing = stealing;
        start(options);
        stations_->top(0, *queue_);
        ASSERT_TRUE(queue_->empty());
        EXPECT_EQ(stations_->top(1, *queue_).has_value(), stealing);
        EXPECT_EQ(stations_->waiting(), 16u);
    }
}

}  // namespace
}  // namespace gemmill::test
