// SPDX-License-Identifier: Apache-2.0
#include "planner/split/fit.hpp"

#include <gtest/gtest.h>

#include "gemmill/error.hpp"
#include "plan/build/builder.hpp"
#include "support/gemm_case.hpp"

namespace gemmill::test {
namespace {

Room room_of(index_t m, index_t n, index_t k, std::int64_t limit) {
    Room room;
    room.block = {0, {0, m}, {0, n}};
    room.k = k;
    room.limit = limit;
    return room;
}

std::int64_t bytes_of_fit(const Fit& fit) {
    std::int64_t bytes = 0;
    for (std::size_t i = 0; i < 3; ++i) bytes += fit.slots[i] * fit.slot_bytes[i];
    return bytes;
}

TEST(Fit, slots_are_aligned) {
    EXPECT_EQ(slot_bytes(1, 1, Type::s, 1), 256);
    EXPECT_EQ(slot_bytes(8, 4, Type::d, 1), 256);
    EXPECT_EQ(slot_bytes(8, 5, Type::d, 1), 512);
}

TEST(Fit, whole_when_it_fits) {
    const Fit fit = fit_in_memory(room_of(64, 64, 64, 3 * 64 * 64 * 8), {16, 16, 16}, false);
    EXPECT_TRUE(fit.whole);
    EXPECT_EQ(fit.slots, (std::array<index_t, 3>{16, 16, 16}));
    const Fit less = fit_in_memory(room_of(64, 64, 64, 3 * 64 * 64 * 8 - 1), {16, 16, 16}, false);
    EXPECT_FALSE(less.whole);
}

TEST(Fit, what_lives_there_needs_no_copy) {
    Room room = room_of(64, 64, 64, 1 << 20);
    room.local = {true, true, true};
    EXPECT_EQ(fit_in_memory(room, {64, 64, 64}, false).slots, (std::array<index_t, 3>{}));
    // Several steps make a tile of C: it needs a place beside the user's.
    EXPECT_EQ(fit_in_memory(room, {64, 64, 16}, false).slots, (std::array<index_t, 3>{0, 0, 1}));
    room.k = 0;
    room.local = {};
    EXPECT_EQ(fit_in_memory(room, {64, 64, 1}, false).slots, (std::array<index_t, 3>{0, 0, 1}));
}

TEST(Fit, never_exceeds_the_limit) {
    Random random(1);
    for (int i = 0; i < affordable(5000); ++i) {
        Room room = room_of(random.between(1, 300), random.between(1, 300), random.below(300),
                            random.between(0, 200) * 256);
        room.type = random.pick(host_types);
        for (bool& local : room.local) local = random.chance(30);
        room.keep_all = random.chance(70);
        const TileSize tile{random.between(1, room.block.rows.count),
                            random.between(1, room.block.cols.count),
                            random.between(1, std::max<index_t>(1, room.k))};
        const bool may_shrink = random.chance(50);
        try {
            const Fit fit = fit_in_memory(room, tile, may_shrink);
            ASSERT_LE(bytes_of_fit(fit), room.limit) << "case " << i;
            ASSERT_GE(fit.rows, 1);
            ASSERT_GE(fit.cols, 1);
            ASSERT_TRUE(may_shrink || fit.tile == tile) << "case " << i;
            ASSERT_LE(fit.tile.m, tile.m);
            ASSERT_LE(fit.tile.n, tile.n);
            ASSERT_LE(fit.tile.k, tile.k);
        } catch (const Error& error) {
            ASSERT_EQ(error.code(), Code::out_of_memory);
            // Three slots of the smallest tile always do.
            ASSERT_TRUE(!may_shrink || room.limit < 3 * 256) << "case " << i << error.what();
        }
    }
}

TEST(Fit, an_error_says_how_much_is_needed) {
    try {
        fit_in_memory(room_of(64, 64, 64, 1000), {64, 64, 64}, false);
        FAIL() << "nothing was thrown";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), Code::out_of_memory);
        EXPECT_NE(error.condition().find(std::to_string(3 * 64 * 64 * 8)), std::string::npos)
            << error.what();
    }
    EXPECT_NO_THROW(fit_in_memory(room_of(64, 64, 64, 1000), {64, 64, 64}, true));
}

}  // namespace
}  // namespace gemmill::test
