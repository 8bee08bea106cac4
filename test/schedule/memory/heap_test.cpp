// SPDX-License-Identifier: Apache-2.0
#include "schedule/memory/heap.hpp"

#include <gtest/gtest.h>

#include <map>

#include "support/random.hpp"

namespace gemmill::test {
namespace {

TEST(Heap, splits_the_first_segment_that_is_long_enough) {
    Heap heap(100, 60);
    EXPECT_EQ(heap.take(20), 100);
    EXPECT_EQ(heap.take(20), 120);
    EXPECT_EQ(heap.take(21), std::nullopt);
    EXPECT_EQ(heap.take(20), 140);
    EXPECT_EQ(heap.free(), 0);
    EXPECT_EQ(heap.fragmentation(), 0);
}

TEST(Heap, merges_neighbours) {
    Heap heap(0, 40);
    for (int i = 0; i < 4; ++i) heap.take(10);
    heap.give(0, 10);
    heap.give(20, 10);
    EXPECT_EQ(heap.free(), 20);
    EXPECT_EQ(heap.largest(), 10);
    EXPECT_EQ(heap.fragmentation(), 0.5);
    EXPECT_EQ(heap.take(20), std::nullopt);
    heap.give(10, 10);
    EXPECT_EQ(heap.largest(), 30);
    EXPECT_EQ(heap.fragmentation(), 0);
    EXPECT_EQ(heap.take(30), 0);
}

TEST(Heap, hands_out_places_that_do_not_overlap) {
    Random random(1);
    Heap heap(7, 1000);
    std::map<std::int64_t, std::int64_t> taken;
    for (int i = 0; i < affordable(20000); ++i) {
        if (!taken.empty() && random.chance(50)) {
            auto one = taken.begin();
            std::advance(one, random.below(std::ssize(taken)));
            heap.give(one->first, one->second);
            taken.erase(one);
            continue;
        }
        const std::int64_t bytes = random.between(1, 120), largest = heap.largest();
        const auto offset = heap.take(bytes);
        ASSERT_EQ(offset.has_value(), bytes <= largest);
        if (!offset) continue;
        ASSERT_GE(*offset, 7);
        ASSERT_LE(*offset + bytes, 1007);
        const auto next = taken.lower_bound(*offset);
        ASSERT_TRUE(next == taken.end() || next->first >= *offset + bytes);
        ASSERT_TRUE(next == taken.begin() ||
                    std::prev(next)->first + std::prev(next)->second <= *offset);
        taken[*offset] = bytes;
    }
    for (const auto& [offset, bytes] : taken) heap.give(offset, bytes);
    EXPECT_EQ(heap.largest(), 1000);
}

}  // namespace
}  // namespace gemmill::test
