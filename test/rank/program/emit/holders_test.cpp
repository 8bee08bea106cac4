// SPDX-License-Identifier: Apache-2.0
#include "rank/program/emit/holders.hpp"

#include <gtest/gtest.h>

#include "support/dist_case.hpp"

namespace gemmill::test {
namespace {

RankMatrix any_matrix(Random& random, int p, int q) {
    return {Distribution(random_block_cyclic(random, random.between(1, 80), random.between(1, 80),
                                             p, q, true),
                         p * q + 1),
            {}};
}

TEST(Holders, know_the_rank_at_each_place_and_what_it_has) {
    Random random(8);
    for (int i = 0; i < 50; ++i) {
        const int p = static_cast<int>(random.between(1, 4)),
                  q = static_cast<int>(random.between(1, 4));
        const RankMatrix x = any_matrix(random, p, q);
        for (const int operand : {0, 1})
            for (const Op op : {Op::NoTrans, Op::Trans}) {
                const Holders holders({&x, op}, operand, 0, p * q + 1);
                const bool rows = (operand == 0) == (op == Op::NoTrans);
                for (int rank = 0; rank < p * q; ++rank) {
                    const GridPlace place = x.distribution.place_of(rank);
                    const int across = rows ? place.row : place.col;
                    const int depth = rows ? place.col : place.row;
                    EXPECT_EQ(holders.rank_at(across, depth), rank);
                    const Holding have = x.distribution.holdings_of(rank).front();
                    EXPECT_EQ(holders.across[static_cast<std::size_t>(across)],
                              rows ? have.rows : have.cols);
                    EXPECT_EQ(holders.depth[static_cast<std::size_t>(depth)],
                              rows ? have.cols : have.rows);
                }
            }
    }
}

TEST(Holders, of_a_rank_outside_the_grid_have_no_place) {
    Random random(9);
    const RankMatrix x = any_matrix(random, 2, 2);
    EXPECT_EQ(Holders({&x}, 0, 4, 5).my_across, -1);
    EXPECT_GE(Holders({&x}, 0, 3, 5).my_across, 0);
}

TEST(CommonWith, finds_every_place_that_has_some_of_it) {
    // Blocks of 2 over 3 places, of which indices 4 to 7 are needed.
    const std::vector<IndexSet> places{{{0, 2, 0}, {6, 2, 2}}, {{2, 2, 0}, {8, 2, 2}}, {{4, 2, 0}}};
    const std::vector<Common> found = common_with(places, {{4, 4, 100}});
    ASSERT_EQ(found.size(), 2U);
    EXPECT_EQ(found[0].place, 0);
    EXPECT_EQ(found[0].matches, (Matches{{2, 2, 2}}));
    EXPECT_EQ(found[1].place, 2);
    EXPECT_EQ(found[1].matches, (Matches{{2, 0, 0}}));
    EXPECT_EQ(of_place(found, 1), nullptr);
    EXPECT_EQ(of_place(found, 2), &found[1].matches);
}

}  // namespace
}  // namespace gemmill::test
