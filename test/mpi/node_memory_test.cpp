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

/// Memory of a device, whose blocks are numbered; `open` counts those that others see.
struct Blocks {
    NodeDevice device() {
        return {[this](std::int64_t bytes, GpuSharedBlock& name) {
                    if (bytes > 1000) throw Error(Code::out_of_memory, "no room");
                    name.block[0] = static_cast<std::byte>(made.size());
                    made.push_back(std::make_shared<std::byte[]>(static_cast<std::size_t>(bytes)));
                    return made.back();
                },
                [this](const GpuSharedBlock& name) {
                    ++open;
                    const auto& block = made[static_cast<std::size_t>(name.block[0])];
                    return std::shared_ptr<std::byte[]>(block.get(),
                                                        [this](std::byte*) { --open; });
                }};
    }
    std::vector<std::shared_ptr<std::byte[]>> made;
    int open = 0;
};

TEST(SegmentMemory, memory_of_a_device_is_seen_when_it_is_published) {
    Blocks blocks;
    {
        Two two;
        two.a.set_device(blocks.device()), two.b.set_device(blocks.device());
        EXPECT_EQ(two.a.device(0), nullptr);
        two.a.take_device(100);
        two.a.publish_device();
        EXPECT_EQ(two.a.device(0), blocks.made[0].get());
        EXPECT_EQ(two.b.device(0), blocks.made[0].get());
        two.a.take_device(50);
        EXPECT_EQ(blocks.made.size(), 1U) << "what is large enough is used again";
        two.a.take_device(200);
        EXPECT_EQ(two.b.device(0), blocks.made[0].get()) << "nobody sees it yet";
        two.a.publish_device();
        EXPECT_EQ(blocks.made[0].use_count(), 2) << "others may not have left it";
        EXPECT_EQ(two.b.device(0), blocks.made[1].get());
        EXPECT_EQ(blocks.open, 1);
        two.a.publish_device();
        EXPECT_EQ(blocks.made[0].use_count(), 1);
        EXPECT_THROW(two.a.take_device(2000), Error);
        two.a.take_device(150);
        EXPECT_EQ(two.a.device(0), blocks.made[1].get()) << "what there was is still there";
    }
    EXPECT_EQ(blocks.open, 0);
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
