// SPDX-License-Identifier: Apache-2.0
#include "mpi/node_memory.hpp"

#include <gtest/gtest.h>

#include "gemmill/error.hpp"

namespace gemmill::test {
namespace {

/// Two ranks of one process.
struct Two {
    Two() {
        const std::vector<SegmentMemory::Card> cards{a.card(), b.card()};
        a.meet(cards), b.meet(cards);
    }
    SegmentMemory a{0, 2}, b{1, 2};
};

TEST(SegmentMemory, ranks_see_one_anothers_boards) {
    Two two;
    two.a.board(0).placed = 12;
    EXPECT_EQ(two.b.board(0).placed, 12U);
    EXPECT_EQ(two.b.board(1).placed, 0U);
}

TEST(SegmentMemory, what_is_taken_is_seen_when_it_is_published) {
    Two two;
    const auto first = two.a.take(1000);
    two.a.publish();
    first[999] = std::byte{1};
    EXPECT_EQ(two.b.memory(0)[999], std::byte{1});
    EXPECT_EQ(two.a.take(500).get(), first.get()) << "what is large enough is used again";
    const auto second = two.a.take(100'000);
    EXPECT_EQ(two.b.memory(0)[999], std::byte{1}) << "nobody sees it yet";
    two.a.publish();
    second[99'999] = std::byte{2};
    EXPECT_EQ(two.b.memory(0)[99'999], std::byte{2});
    EXPECT_EQ(two.a.memory(0), second.get());
    EXPECT_EQ(first[999], std::byte{1}) << "whoever has it keeps it";
}

TEST(SegmentMemory, everything_that_a_device_reads_is_pinned_until_it_is_not_needed) {
    int pinned = 0;
    const Pin pin = [&](void* data, std::int64_t) {
        ++pinned;
        return std::shared_ptr<void>(data, [&](void*) { --pinned; });
    };
    {
        Two two;
        two.a.set_pin(pin), two.b.set_pin(pin);
        two.a.take(1000);
        two.a.publish();
        two.b.memory(0);
        EXPECT_EQ(pinned, 2);
        two.a.take(10'000);
        two.a.publish();
        two.b.memory(0);
        EXPECT_EQ(pinned, 2);
    }
    EXPECT_EQ(pinned, 0);
}

TEST(SegmentMemory, a_process_that_is_not_the_rank_is_not_taken_for_it) {
    SegmentMemory a(0, 2), b(1, 2);
    std::vector<SegmentMemory::Card> cards{a.card(), b.card()};
    ++cards[1].secret;
    EXPECT_THROW(a.meet(cards), Error);
}

}  // namespace
}  // namespace gemmill::test
