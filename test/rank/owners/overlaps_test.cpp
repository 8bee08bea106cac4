// SPDX-License-Identifier: Apache-2.0
#include "rank/owners/overlaps.hpp"

#include <gtest/gtest.h>

#include "support/rank_product.hpp"

namespace gemmill::test {
namespace {

TEST(Overlaps, count_what_ranks_store_of_bricks) {
    // Each rank's place along m has 32 of 64 rows, along n 48 of 96 columns.
    const Product x(64, 96, 32, 2, 2);
    const ProductOwners owners = product_owners(x.update, x.ranks);
    const BrickTree tree({2, 1, 4, true});
    Overlaps overlaps(tree, owners);
    // The first group has the first place's rows and 10 of the other's.
    ASSERT_EQ(owners[along_m].kinds.size(), 2U);
    overlaps.count(0, 0, {22, 10}), overlaps.count(0, 1, {10, 22});
    for (int node = 0; node < 2; ++node) {
        Amounts all_of_k;
        for (const OwnedKind& kind : owners[along_k].kinds) all_of_k.push_back(kind.count);
        overlaps.count(1, node, all_of_k);
        overlaps.count(2, 2 * node, {48, 0}), overlaps.count(2, 2 * node + 1, {0, 48});
    }
    const Overlaps::Brick first = overlaps.of(0);
    EXPECT_EQ(overlaps.had(first, 0, side_of(along_m, 0)), 22);
    EXPECT_EQ(overlaps.had(first, 2, side_of(along_m, 1)), 10);
    EXPECT_EQ(overlaps.had(first, 0, side_of(along_n, 1)), 48);
    EXPECT_EQ(overlaps.had(first, 1, side_of(along_n, 1)), 0);
    EXPECT_EQ(overlaps.had(first, 0, side_of(along_k, 0)), 16);
    EXPECT_EQ(overlaps.stored(first, 0), 22 * 16 + 16 * 48 + 22 * 48);
    EXPECT_EQ(overlaps.stored({0, 1, 2, 3})[1], 22 * 16);
    EXPECT_EQ(overlaps.stored({3, 2, 1, 0})[3], overlaps.stored(first, 0));
}

TEST(Overlaps, are_none_where_nobody_stores_anything) {
    const ProductOwners owners{nobodys(8, 2), nobodys(8, 2), nobodys(8, 2)};
    const BrickTree tree({2, 1, 2, true});
    Overlaps overlaps(tree, owners);
    for (std::size_t level = 0; level < BrickTree::levels; ++level)
        for (int node = 0; node < tree.nodes(level); ++node) overlaps.count(level, node, {4});
    EXPECT_EQ(overlaps.stored(overlaps.of(0), 1), 0);
}

}  // namespace
}  // namespace gemmill::test
