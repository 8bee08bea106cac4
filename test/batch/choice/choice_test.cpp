// SPDX-License-Identifier: Apache-2.0
#include "batch/choice/choice.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace gemmill {
namespace {

TEST(Choice, names_read_back) {
    for (const PipeCandidate& c :
         {PipeCandidate{16, 8, 2, 4, 2, 2, 16, 3}, {8, 12, 3, 3, 1, 1, 12, 1}})
        EXPECT_EQ(candidate_named(name_of(c)), c);
    EXPECT_EQ(name_of({16, 8, 2, 4, 2, 2, 16, 3}), "pipe_16_8_2_4_2_2_16_3");
    EXPECT_EQ(name_of({8, 8, 3, 3, 1, 1, 8, 1}), "warp_8_8_3_3");
    for (const char* name : {"pipe32", "pack8", "pipe_16", "pipe_1_2_3_4_5_6_7_x", "warp_8_8_3_3_1",
                             "", "_", "pipe_16_8_2_4_2_2_16_"})
        EXPECT_FALSE(candidate_named(name)) << name;
}

TEST(Choice, rows_are_those_of_the_kernels) {
    EXPECT_EQ(row_of({8, 8, 3, 3, 1, 1, 8, 1}, Type::d),
              "{\"warp_8_8_3_3\", 24, 0, warp_all<T, MmaTile<T, 8, 8, 3, 3, 1, 1>>, "
              "work_of_tiles<24, 24, 8, 16>},");
    EXPECT_EQ(row_of({16, 8, 2, 4, 2, 2, 16, 3}, Type::d),
              "{\"pipe_16_8_2_4_2_2_16_3\", 0, 0, pipe_all<T, PipeTile<T, 16, 8, 2, 4, 2, 2, 16, "
              "3>, 2>, work_of_tiles<64, 64, 16, 2>},");
}

TEST(Choice, few_and_not_all_alike) {
    std::vector<PipeCandidate> all = pipe_space(Type::d).left;
    const std::vector<PipeCandidate> warps = warp_space(Type::d).left;
    all.insert(all.end(), warps.begin(), warps.end());
    for (const index_t n : {8, 24, 48, 128}) {
        const BatchShape shape{n, n, n};
        const std::vector<PipeCandidate> chosen = choose(all, Type::d, shape, 16);
        ASSERT_EQ(chosen.size(), 16U);
        std::map<std::tuple<bool, int, int>, int> tiles;
        double before = 0;
        for (const PipeCandidate& c : chosen) {
            EXPECT_LE(++tiles[std::tuple(c.is_piped(), c.tile_m(), c.tile_n())], 4);
            EXPECT_TRUE(c.is_piped() || (c.tile_m() >= n && c.tile_n() >= n));
            const double seconds = seconds_about(c, Type::d, shape);
            EXPECT_GE(seconds, before);
            before = seconds;
        }
        EXPECT_EQ(chosen, choose(all, Type::d, shape, 16));
    }
    EXPECT_TRUE(choose(all, Type::d, {8, 8, 8}, 0).empty());
}

/// Larger tiles read A and B less often; padding is work.
TEST(Choice, the_estimate_knows_waste) {
    const PipeCandidate of_32{16, 8, 1, 2, 2, 2, 16, 4}, of_64{16, 8, 2, 4, 2, 2, 16, 3};
    EXPECT_LT(
        seconds_about(of_32, Type::d, {33, 33, 33}) / seconds_about(of_32, Type::d, {32, 32, 32}),
        3);
    EXPECT_LT(seconds_about(of_32, Type::d, {32, 32, 32}),
              seconds_about(of_64, Type::d, {32, 32, 32}));
    EXPECT_LT(seconds_about(of_64, Type::d, {128, 128, 128}),
              seconds_about(of_32, Type::d, {128, 128, 128}));
}

}  // namespace
}  // namespace gemmill
