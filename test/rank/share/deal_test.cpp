// SPDX-License-Identifier: Apache-2.0
#include "rank/share/deal.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "support/random.hpp"
#include "support/rank_product.hpp"

namespace gemmill::test {
namespace {

ProductOwners owners_in(const Product& x) {
    const Distribution &a = x.a.distribution, &b = x.b.distribution, &c = x.update.c.distribution;
    return {owners_of({MatrixSide{&a, true}, MatrixSide{&c, true}}, x.ranks),
            owners_of({MatrixSide{&b, false}, MatrixSide{&c, false}}, x.ranks),
            owners_of({MatrixSide{&a, false}, MatrixSide{&b, true}}, x.ranks)};
}

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

}  // namespace
}  // namespace gemmill::test
