// SPDX-License-Identifier: Apache-2.0
#include "rank/share/likely.hpp"

#include <gtest/gtest.h>

#include "support/rank_product.hpp"

namespace gemmill::test {
namespace {

TEST(LikelyBricks, are_cubes_where_all_is_square) {
    const Product x(4096, 4096, 4096, 8, 8);
    const Bricks first = likely_bricks(x.update, x.ranks).front();
    EXPECT_EQ(first.groups, 4);
    EXPECT_EQ(first.depths, 4);
}

TEST(LikelyBricks, cut_what_is_long_and_leave_no_rank_out) {
    const Product x(512, 512, 65536, 2, 3);
    for (const Bricks& bricks : likely_bricks(x.update, x.ranks)) {
        EXPECT_EQ(bricks.ranks, 6);
        EXPECT_LE(bricks.groups * bricks.depths, 6);
    }
    EXPECT_GE(likely_bricks(x.update, x.ranks).front().depths, 3);
    EXPECT_EQ(likely_bricks(Product(64, 64, 64, 1, 1).update, 1).size(), 2U);
}

TEST(LikelyBricks, are_fewer_on_many_ranks) {
    EXPECT_EQ(likely_bricks(Product(4096, 4096, 4096, 8, 16).update, 128).size(), 6U);
    EXPECT_EQ(likely_bricks(Product(4096, 4096, 4096, 16, 16).update, 256).size(), 3U);
    EXPECT_EQ(likely_bricks(Product(4096, 4096, 4096, 40, 40).update, 1600).size(), 1U);
}

}  // namespace
}  // namespace gemmill::test
