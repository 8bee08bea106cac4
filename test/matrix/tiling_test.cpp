// SPDX-License-Identifier: Apache-2.0
#include "matrix/tiling.hpp"

#include <gtest/gtest.h>

#include "support/random.hpp"

namespace gemmill::test {
namespace {

using Parts = std::vector<Part>;

TEST(CutBySize, leaves_a_smaller_last_part) {
    EXPECT_EQ(cut_by_size({0, 10}, 4), (Parts{{0, 4}, {4, 4}, {8, 2}}));
    EXPECT_EQ(cut_by_size({5, 8}, 4), (Parts{{5, 4}, {9, 4}}));
    EXPECT_EQ(cut_by_size({5, 3}, 100), (Parts{{5, 3}}));
    EXPECT_TRUE(cut_by_size({5, 0}, 4).empty());
}

TEST(CutByWeight, by_hand) {
    const double equal[] = {1, 1}, uneven[] = {3, 1};
    EXPECT_EQ(cut_by_weight(256, equal, 64), (Parts{{0, 128}, {128, 128}}));
    EXPECT_EQ(cut_by_weight(256, uneven, 64), (Parts{{0, 192}, {192, 64}}));
    EXPECT_EQ(cut_by_weight(300, equal, 64), (Parts{{0, 128}, {128, 172}}));
    EXPECT_EQ(cut_by_weight(3, equal, 64), (Parts{{0, 2}, {2, 1}}));
    EXPECT_EQ(cut_by_weight(0, equal, 64), (Parts{{0, 0}, {0, 0}}));
}

TEST(CutByWeight, covers_and_leaves_nobody_out) {
    Random random(1);
    for (int i = 0; i < affordable(5000); ++i) {
        const index_t whole = random.below(1000), grain = random.between(1, 64);
        std::vector<double> weights(static_cast<std::size_t>(random.between(1, 8)));
        for (double& w : weights) w = static_cast<double>(random.between(1, 100));
        const Parts parts = cut_by_weight(whole, weights, grain);
        ASSERT_EQ(parts.size(), weights.size());
        const auto count = static_cast<index_t>(parts.size());
        index_t next = 0;
        for (const Part& part : parts) {
            ASSERT_EQ(part.first, next) << "case " << i;
            ASSERT_GE(part.count, whole >= count ? 1 : 0) << "case " << i << " of " << whole;
            next += part.count;
        }
        ASSERT_EQ(next, whole) << "case " << i;
        if (whole < count * grain) continue;
        for (std::size_t p = 1; p < parts.size(); ++p)
            ASSERT_EQ(parts[p].first % grain, 0) << "case " << i;
    }
}

}  // namespace
}  // namespace gemmill::test
