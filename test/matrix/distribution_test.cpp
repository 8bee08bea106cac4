// SPDX-License-Identifier: Apache-2.0
#include "matrix/distribution.hpp"

#include <gtest/gtest.h>

#include "gemmill/error.hpp"
#include "support/random.hpp"

namespace gemmill::test {
namespace {

BlockCyclic random_cyclic(Random& random) {
    BlockCyclic x;
    x.rows = random.below(40), x.cols = random.below(40);
    x.row_block = random.between(1, 7), x.col_block = random.between(1, 7);
    x.grid_rows = static_cast<int>(random.between(1, 3));
    x.grid_cols = static_cast<int>(random.between(1, 3));
    x.order = random.chance(50) ? RankOrder::RowMajor : RankOrder::ColMajor;
    x.row_source = static_cast<int>(random.between(-1, x.grid_rows - 1));
    x.col_source = static_cast<int>(random.between(-1, x.grid_cols - 1));
    x.first_row_block = random.below(5), x.first_col_block = random.below(5);
    return x;
}

/// The grid row of a global row and its local row, as ScaLAPACK defines them, block by block.
struct Located {
    int at = 0;
    index_t local = 0;
};
Located locate(index_t index, index_t first, index_t block, int source, int parts) {
    if (source < 0) return {-1, index};
    std::vector<index_t> used(static_cast<std::size_t>(parts), 0);
    int at = source;
    index_t begin = 0, size = first > 0 ? first : block;
    while (index >= begin + size) {
        used[static_cast<std::size_t>(at)] += size;
        begin += size, size = block, at = (at + 1) % parts;
    }
    return {at, used[static_cast<std::size_t>(at)] + index - begin};
}

bool has(const IndexSet& set, index_t index, index_t local) {
    for (const IndexRun& run : set)
        if (index >= run.begin && index < run.begin + run.count)
            return run.offset + index - run.begin == local;
    return false;
}

TEST(Distribution, block_cyclic_is_as_counted_block_by_block) {
    Random random(3);
    for (int i = 0; i < affordable(600); ++i) {
        const BlockCyclic x = random_cyclic(random);
        const int ranks = x.grid_rows * x.grid_cols + static_cast<int>(random.below(2));
        const Distribution all(x, ranks);
        const index_t row = random.below(x.rows + 1), col = random.below(x.cols + 1);
        const Distribution sub =
            all.part(row, col, random.below(x.rows - row + 1), random.below(x.cols - col + 1));
        index_t elements = 0;
        for (int rank = 0; rank < ranks; ++rank) {
            const auto holdings = sub.holdings_of(rank);
            const GridPlace place = sub.place_of(rank);
            ASSERT_EQ(holdings.empty(), place.row < 0);
            if (holdings.empty()) continue;
            ASSERT_EQ(rank_at(x, place.row, place.col), rank);
            const Holding& mine = holdings.front();
            elements += total(mine.rows) * total(mine.cols);
            for (index_t r = 0; r < sub.rows(); ++r) {
                const Located at =
                    locate(row + r, x.first_row_block, x.row_block, x.row_source, x.grid_rows);
                const bool here = at.at < 0 || at.at == place.row;
                ASSERT_TRUE(!here || has(mine.rows, r, at.local)) << "case " << i << " row " << r;
            }
            for (index_t c = 0; c < sub.cols(); ++c) {
                const Located at =
                    locate(col + c, x.first_col_block, x.col_block, x.col_source, x.grid_cols);
                const bool here = at.at < 0 || at.at == place.col;
                ASSERT_TRUE(!here || has(mine.cols, c, at.local)) << "case " << i << " col " << c;
            }
            const Holding whole_part = all.holdings_of(rank).front();
            ASSERT_EQ(local_shape(x, rank),
                      (LocalShape{total(whole_part.rows), total(whole_part.cols)}));
            ASSERT_EQ(local_size(x.rows, x.row_block, place.row, x.row_source, x.grid_rows,
                                 x.first_row_block),
                      total(whole_part.rows));
        }
        const index_t copies =
            (x.row_source < 0 ? x.grid_rows : 1) * (x.col_source < 0 ? x.grid_cols : 1);
        ASSERT_EQ(elements, sub.rows() * sub.cols() * copies) << "case " << i;
    }
}

TEST(Distribution, exactly_one_replica_serves_a_reader) {
    Random random(4);
    for (int i = 0; i < affordable(400); ++i) {
        const BlockCyclic x = random_cyclic(random);
        const int ranks = x.grid_rows * x.grid_cols + 1;
        const Distribution all(x, ranks);
        for (int reader = 0; reader < ranks; ++reader) {
            index_t served = 0;
            for (int holder = 0; holder < ranks; ++holder) {
                if (!all.serves(holder, reader)) continue;
                for (const Holding& part : all.holdings_of(holder))
                    served += total(part.rows) * total(part.cols);
            }
            ASSERT_EQ(served, x.rows * x.cols) << "case " << i;
        }
    }
}

TEST(Distribution, blocks_of_a_grid_belong_to_their_owners) {
    const BlockGrid grid{{0, 2, 5}, {0, 1, 4, 6}, {0, 1, 1, 0, 2, 2}};
    const Distribution sub = Distribution(grid, 3).part(1, 0, 3, 5);
    EXPECT_FALSE(sub.is_product());
    const auto first = sub.holdings_of(0);
    ASSERT_EQ(first.size(), 2U);
    EXPECT_EQ(first[0].rows, (IndexSet{{0, 1, 1}}));
    EXPECT_EQ(first[0].cols, (IndexSet{{0, 1, 0}}));
    EXPECT_EQ(first[1].block, 3);
    EXPECT_EQ(first[1].rows, (IndexSet{{1, 2, 0}}));
    EXPECT_EQ(first[1].cols, (IndexSet{{1, 3, 0}}));
    EXPECT_EQ(sub.blocks_of(2), (std::vector<index_t>{4, 5}));
    EXPECT_EQ(sub.holdings_of(2).size(), 2U);
}

TEST(Distribution, refuses_what_cannot_be_meant) {
    BlockCyclic x{.rows = 10,
                  .cols = 10,
                  .row_block = 2,
                  .col_block = 2,
                  .grid_rows = 2,
                  .grid_cols = 2,
                  .ranks = {}};
    EXPECT_NO_THROW(Distribution(x, 4));
    EXPECT_THROW(Distribution(x, 3), Error);
    EXPECT_THROW(Distribution(x, 4).part(0, 0, 11, 1), Error);
    x.ranks = {0, 1, 1, 2};
    EXPECT_THROW(Distribution(x, 4), Error);
    x.ranks = {};
    x.row_source = 2;
    EXPECT_THROW(Distribution(x, 4), Error);
    EXPECT_THROW(Distribution(BlockGrid{{0, 3, 2}, {0, 1}, {0, 0}}, 2), Error);
    EXPECT_THROW(Distribution(BlockGrid{{0, 3}, {0, 1}, {2}}, 2), Error);
}

TEST(Distribution, digests_tell_distributions_apart) {
    BlockCyclic x{.rows = 10,
                  .cols = 10,
                  .row_block = 2,
                  .col_block = 2,
                  .grid_rows = 2,
                  .grid_cols = 2,
                  .ranks = {}},
        y = x;
    y.col_block = 3;
    EXPECT_EQ(Distribution(x, 4).digest(), Distribution(x, 4).digest());
    EXPECT_NE(Distribution(x, 4).digest(), Distribution(y, 4).digest());
    EXPECT_NE(Distribution(x, 4).digest(), Distribution(x, 4).part(0, 0, 9, 10).digest());
}

}  // namespace
}  // namespace gemmill::test
