// SPDX-License-Identifier: Apache-2.0
#include "rank/share/deal.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "support/random.hpp"
#include "support/rank_product.hpp"

namespace gemmill::test {
namespace {

ProductOwners owners_in(const Product& x) { return product_owners(x.update, x.ranks); }

TEST(DealBricks, families_get_all_indices_and_ranks_one_brick_each) {
    Random random(43);
    for (int i = 0; i < affordable(40); ++i) {
        const auto size = [&] { return random.between(1, 400); };
        const Product x(size(), size(), size(), static_cast<int>(random.between(1, 4)),
                        static_cast<int>(random.between(1, 5)));
        const auto depths = static_cast<int>(random.between(1, x.ranks));
        const BrickTree tree({static_cast<int>(random.between(1, x.ranks / depths)), depths,
                              x.ranks, random.chance(50)});
        const ProductOwners owners = owners_in(x);
        const Dealt dealt = deal_bricks(tree, owners);
        for (std::size_t level = 0; level < BrickTree::levels; ++level) {
            const Owners& along = owners[tree.dimension(level)];
            const std::vector<int> families = tree.families(level);
            for (std::size_t family = 0; family + 1 < families.size(); ++family)
                for (std::size_t kind = 0; kind < along.kinds.size(); ++kind) {
                    index_t sum = 0;
                    for (int node = families[family]; node < families[family + 1]; ++node)
                        sum += dealt.amounts[level][static_cast<std::size_t>(node)][kind];
                    ASSERT_EQ(sum, along.kinds[kind].count);
                }
        }
        std::vector<int> ranks = dealt.rank_of;
        std::ranges::sort(ranks);
        for (int rank = 0; rank < x.ranks; ++rank)
            ASSERT_EQ(ranks[static_cast<std::size_t>(rank)], rank);
    }
}

TEST(DealBricks, the_first_part_of_k_has_some_of_it) {
    const Product x(40, 40, 2, 2, 4);
    const Dealt dealt = deal_bricks(BrickTree({2, 4, 8, true}), owners_in(x));
    for (const std::size_t first : {0U, 4U}) {
        const Amounts& amounts = dealt.amounts[1][first];
        EXPECT_GT(std::accumulate(amounts.begin(), amounts.end(), index_t{0}), 0);
    }
}

TEST(DealBricks, ranks_use_what_they_store) {
    // Bricks like the blocks of C: all of C, and each rank's part of A and of B.
    const Product x(640, 480, 960, 2, 3);
    EXPECT_EQ(deal_bricks(BrickTree({2, 1, 6, true}), owners_in(x)).stored,
              640 * 480 + 640 * 960 + 960 * 480);
    // Cubes on 8 x 8 ranks: all of C, and half of A and of B, since ranks whose rows of C are in
    // one brick have different parts of k.
    const Product cube(1024, 1024, 1024, 8, 8);
    EXPECT_GE(deal_bricks(BrickTree({4, 4, 64, true}), owners_in(cube)).stored, 2 * 1024 * 1024);
}

TEST(DealBricks, ranks_change_places_where_these_are_not_alike) {
    // Two of seven rows of places have all rows of A and of C.
    const Product uneven(400, 900, 1200, 7, 3, 256);
    const ProductOwners owners = owners_in(uneven);
    int more = 0;
    for (const Bricks& bricks : {Bricks{3, 2, 21, true}, Bricks{2, 3, 21, false}}) {
        const BrickTree tree(bricks);
        const Dealt before = deal_bricks(tree, owners);
        const Dealt after = deal_better(tree, owners, before);
        EXPECT_GE(after.stored, before.stored);
        more += after.stored > before.stored;
        std::vector<int> ranks = after.rank_of;
        std::ranges::sort(ranks);
        for (int rank = 0; rank < uneven.ranks; ++rank)
            EXPECT_EQ(ranks[static_cast<std::size_t>(rank)], rank);
    }
    EXPECT_GE(more, 1);
    // Where all is stored that can be nothing changes.
    const Product even(640, 480, 960, 2, 3);
    const BrickTree tree({2, 1, 6, true});
    const Dealt dealt = deal_bricks(tree, owners_in(even));
    EXPECT_EQ(deal_better(tree, owners_in(even), dealt).rank_of, dealt.rank_of);
}

}  // namespace
}  // namespace gemmill::test
