// SPDX-License-Identifier: Apache-2.0
#include "rank/owners/brick_tree.hpp"

#include <gtest/gtest.h>

namespace gemmill::test {
namespace {

TEST(BrickTree, cuts_rows_then_k_then_columns) {
    const BrickTree tree({2, 3, 14, true});
    EXPECT_EQ(tree.bricks(), 14);
    EXPECT_EQ(tree.nodes(0), 2);
    EXPECT_EQ(tree.nodes(1), 6);
    EXPECT_EQ(tree.nodes(2), 14);
    EXPECT_EQ(tree.dimension(0), along_m);
    EXPECT_EQ(tree.dimension(1), along_k);
    EXPECT_EQ(tree.dimension(2), along_n);
    EXPECT_EQ(tree.level_of(along_n), 2U);
    const BrickTree columns({2, 3, 14, false});
    EXPECT_EQ(columns.dimension(0), along_n);
    EXPECT_EQ(columns.level_of(along_m), 2U);
}

TEST(BrickTree, families_have_all_nodes_once) {
    const BrickTree tree({3, 2, 17, true});
    EXPECT_EQ(tree.families(0), (std::vector{0, 3}));
    EXPECT_EQ(tree.families(1), (std::vector{0, 2, 4, 6}));
    const std::vector<int> last = tree.families(2);
    ASSERT_EQ(last.size(), 7U);
    EXPECT_EQ(last.back(), 17);
    for (std::size_t i = 0; i + 1 < last.size(); ++i) {
        EXPECT_GE(last[i + 1] - last[i], 2);
        EXPECT_LE(last[i + 1] - last[i], 3);
    }
}

TEST(BrickTree, bricks_are_in_the_nodes_that_begin_before_them) {
    const BrickTree tree({3, 2, 17, true});
    for (std::size_t level = 0; level < BrickTree::levels; ++level)
        for (int brick = 0; brick < 17; ++brick) {
            const int node = tree.node_of(level, brick);
            EXPECT_LE(tree.first(level, node), brick);
            EXPECT_GT(tree.first(level, node + 1), brick);
        }
}

TEST(BrickTree, parts_are_as_large_as_the_bricks_in_them) {
    const BrickTree tree({2, 2, 7, true});  // groups of 3 and 4, parts of 1, 2, 2, 2
    EXPECT_EQ(tree.parts(0, 700), (std::vector<index_t>{300, 400}));
    EXPECT_EQ(tree.parts(1, 12), (std::vector<index_t>{4, 8, 6, 6}));
    EXPECT_EQ(tree.parts(2, 5), (std::vector<index_t>{5, 3, 2, 3, 2, 3, 2}));
}

}  // namespace
}  // namespace gemmill::test
