// SPDX-License-Identifier: Apache-2.0
#include "rank/owners/owners.hpp"

#include <gtest/gtest.h>

#include "support/random.hpp"

namespace gemmill::test {
namespace {

Distribution spread(index_t rows, index_t cols, index_t block, int p, int q, int row_source = 0) {
    BlockCyclic x;
    x.rows = rows, x.cols = cols, x.row_block = x.col_block = block;
    x.grid_rows = p, x.grid_cols = q, x.row_source = row_source;
    return {x, p * q};
}

TEST(Owners, every_index_is_of_one_kind_and_where_both_matrices_have_it) {
    Random random(41);
    for (int i = 0; i < 50; ++i) {
        const index_t size = random.between(1, 300);
        const auto p = static_cast<int>(random.between(1, 4));
        const auto q = static_cast<int>(random.between(1, 4));
        const Distribution x = spread(size, 10, random.between(1, 20), p, q);
        const Distribution y = spread(10, size, random.between(1, 20), p, q);
        const Owners owners = owners_of({MatrixSide{&x, true}, MatrixSide{&y, false}}, p * q);
        index_t sum = 0;
        for (const OwnedKind& kind : owners.kinds) {
            EXPECT_EQ(total(kind.set), kind.count);
            EXPECT_EQ(overlap(kind.set, x.rows_of(kind.places[0])), kind.count);
            EXPECT_EQ(overlap(kind.set, y.cols_of(kind.places[1])), kind.count);
            sum += kind.count;
        }
        EXPECT_EQ(sum, size);
    }
}

TEST(Owners, know_the_places_of_ranks_and_the_kinds_of_places) {
    const Distribution x = spread(60, 60, 10, 2, 3);
    const Owners owners = owners_of({MatrixSide{&x, true}, MatrixSide{&x, false}}, 6);
    EXPECT_EQ(owners.kinds.size(), 6U);
    EXPECT_EQ(owners.of_rank[5], (std::array{1, 2}));
    EXPECT_EQ(owners.at_place[0][1].size(), 3U);
    EXPECT_EQ(owners.at_place[1][2].size(), 2U);
    for (const int kind : owners.at_place[1][2])
        EXPECT_EQ(owners.kinds[static_cast<std::size_t>(kind)].places[1], 2);
}

TEST(Owners, of_replicated_rows_are_all) {
    const Distribution x = spread(60, 60, 10, 2, 3, -1);
    EXPECT_EQ(places_along({&x, true}), 1);
    EXPECT_EQ(places_along({&x, false}), 3);
    const Owners owners = owners_of({MatrixSide{&x, true}, MatrixSide{&x, true}}, 6);
    ASSERT_EQ(owners.kinds.size(), 1U);
    EXPECT_EQ(owners.kinds.front().count, 60);
    EXPECT_EQ(owners.of_rank[5], (std::array{0, 0}));
    // Rows that are all in one block are not replicated.
    const Distribution few = spread(10, 60, 10, 2, 3);
    EXPECT_EQ(places_along({&few, true}), 2);
}

TEST(Owners, nobody_stores_what_is_not_looked_at) {
    const Owners owners = nobodys(50, 3);
    ASSERT_EQ(owners.kinds.size(), 1U);
    EXPECT_EQ(owners.kinds.front().count, 50);
    EXPECT_EQ(owners.of_rank[2], (std::array{-1, -1}));
}

}  // namespace
}  // namespace gemmill::test
