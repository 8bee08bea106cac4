// SPDX-License-Identifier: Apache-2.0
#include "rank/bound/stored_bound.hpp"

#include <gtest/gtest.h>

#include "support/all_bricks.hpp"
#include "support/random.hpp"
#include "support/rank_product.hpp"

namespace gemmill::test {
namespace {

double bound_of(const ProductOwners& owners, const Bricks& bricks) {
    const BrickTree tree(bricks);
    return StoredBound(owners).nearer(tree, brick_kinds(tree, owners), 0);
}

TEST(StoredBound, is_all_matrices_where_bricks_are_like_the_blocks_of_one) {
    const Product x(64, 96, 128, 2, 2);
    const ProductOwners owners = product_owners(x.update, x.ranks);
    const double all = 64 * 96 + 96 * 128 + 64 * 128;
    EXPECT_NEAR(bound_of(owners, {2, 1, 4, true}), all, 1e-3 * all);
    // Where all is cut along k the four ranks have a half of A's columns, twice, and of B's rows.
    EXPECT_LE(bound_of(owners, {1, 4, 4, true}), all + 1);
}

/// Small matrices, each on a grid of its own.
struct Tiny {
    explicit Tiny(Random& random) : ranks(random.chance(50) ? 4 : 3) {
        const auto size = [&] { return random.between(2, ranks == 4 ? 4 : 5); };
        update.m = size(), update.n = size(), update.k = size();
        const bool alike = random.chance(50);
        const index_t block = random.between(1, 2);
        const int rows = grid_rows(random);
        const auto matrix = [&](index_t down, index_t along) {
            BlockCyclic x;
            x.rows = down, x.cols = along;
            x.row_block = x.col_block = alike ? block : random.between(1, 3);
            x.grid_rows = alike ? rows : grid_rows(random);
            x.grid_cols = ranks / x.grid_rows;
            return RankMatrix{Distribution(x, ranks), {}};
        };
        a = matrix(update.m, update.k), b = matrix(update.k, update.n);
        update.c = matrix(update.m, update.n);
        update.terms = {{{&a}, {&b}, {1, 0}}};
    }
    int grid_rows(Random& random) const {
        if (ranks == 3) return random.chance(50) ? 1 : 3;
        return 1 << random.below(3);
    }

    int ranks;
    RankMatrix a, b;
    DistUpdate update;
};

TEST(StoredBound, no_bricks_of_tiny_products_have_more) {
    Random random(23);
    double slack = 0;
    int trees = 0;
    for (int i = 0; i < affordable(40); ++i) {
        const Tiny x(random);
        const ProductOwners owners = product_owners(x.update, x.ranks);
        const StoredBound bound(owners);
        for_all_trees(x.ranks, [&](const Bricks& bricks) {
            const BrickTree tree(bricks);
            const auto most = static_cast<double>(AllBricks(tree, owners).most_stored());
            const auto kinds = brick_kinds(tree, owners);
            const double near = bound.nearer(tree, kinds, 0);
            EXPECT_GE(near, most - 1e-6) << i << " " << bricks.groups << "x" << bricks.depths;
            EXPECT_LE(near, std::max(1.0, bound.rough(kinds)));
            EXPECT_GE(bound.nearer(tree, kinds, most + 2), most - 1e-6);
            slack += near / std::max(1.0, most), ++trees;
        });
    }
    EXPECT_LE(slack / trees, 1.1);
}

}  // namespace
}  // namespace gemmill::test
