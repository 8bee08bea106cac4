// SPDX-License-Identifier: Apache-2.0
#include "rank/program/emit/messages.hpp"

#include <gtest/gtest.h>

#include "support/rank_product.hpp"

namespace gemmill::test {
namespace {

TEST(ReadersOf, ranks_of_a_row_read_the_same_a_and_those_of_a_column_the_same_b) {
    const Product x(64, 64, 64, 2, 3);
    const Work work = stationary_c(x.update, x.ranks);
    const std::vector<Readers> a = readers_of(work, 0), b = readers_of(work, 1);
    ASSERT_EQ(a.size(), 2U);
    EXPECT_EQ(a[0].ranks, (std::vector{0, 1, 2}));
    EXPECT_EQ(a[1].ranks, (std::vector{3, 4, 5}));
    ASSERT_EQ(b.size(), 3U);
    EXPECT_EQ(b[1].ranks, (std::vector{1, 4}));
}

TEST(ReadersOf, parts_of_k_are_read_apart_and_idle_ranks_read_nothing) {
    const Product x(64, 64, 64, 1, 5);
    const Work work = brick_work(x.update, even_bricks(1, 2, 2), x.ranks);
    const std::vector<Readers> a = readers_of(work, 0);
    ASSERT_EQ(a.size(), 2U);
    EXPECT_NE(a[0].share.depth, a[1].share.depth);
    for (const Readers& one : a) {
        EXPECT_EQ(one.ranks.size(), 2U);
        for (const int rank : one.ranks)
            EXPECT_EQ(work.of_rank[static_cast<std::size_t>(rank)].depth, one.share.depth);
    }
}

/// The messages of A of the only stage of a program.
std::vector<Fetch> fetches_of_a(const Product& x, std::int64_t chain_bytes, int rank) {
    const Work work = stationary_c(x.update, x.ranks);
    RankCut cut;
    cut.depth = x.update.k, cut.chain_bytes = chain_bytes;
    const Needs needs(x.update, work, cut);
    const std::vector<Readers> readers = readers_of(work, 0);
    FactorMessages messages({x.update, needs, cut, readers, rank, x.ranks}, 0, 0);
    RankProgram program;
    Stage stage;
    messages.emit(program, stage, 0);
    return program.fetches;
}

TEST(FactorMessages, a_small_panel_goes_to_all_at_once) {
    const Product x(16, 64, 64, 1, 4);
    const std::vector<Fetch> fetches = fetches_of_a(x, 1 << 20, 1);
    ASSERT_EQ(fetches.size(), 4U);  // its own, and one of each other rank
    EXPECT_EQ(fetches[0].from, 1);
    EXPECT_EQ(fetches[0].to, (std::vector{2, 3, 0}));
    for (std::size_t i = 1; i < 4; ++i) {
        EXPECT_EQ(fetches[i].from, static_cast<int>((1 + i) % 4));
        EXPECT_TRUE(fetches[i].to.empty());
        EXPECT_EQ(fetches[i].bytes, 8 * 16 * 16);
    }
}

TEST(FactorMessages, a_large_one_goes_from_rank_to_rank) {
    const Product x(16, 64, 64, 1, 4);
    for (int rank = 0; rank < 4; ++rank)
        for (const Fetch& fetch : fetches_of_a(x, 0, rank)) {
            const auto source = static_cast<int>(fetch.tag % 4);
            const int place = (rank - source + 4) % 4;  // behind the source
            EXPECT_EQ(fetch.from, source == rank ? rank : (rank + 3) % 4);
            EXPECT_EQ(fetch.to, place == 3 ? std::vector<int>{} : std::vector{(rank + 1) % 4});
            EXPECT_EQ(fetch.hop, std::max(0, place - 1));
        }
}

TEST(FactorMessages, tags_differ_between_sources_factors_and_stages) {
    const Product x(64, 64, 256, 2, 2);
    DistPolicy policy = named("c");
    policy.depth = 64;
    for (int rank = 0; rank < 4; ++rank) {
        std::vector<std::int64_t> tags;
        for (const Fetch& fetch : x.program(x.choose(policy), rank).fetches)
            tags.push_back(fetch.tag);
        std::ranges::sort(tags);
        EXPECT_EQ(std::ranges::adjacent_find(tags), tags.end());
    }
}

}  // namespace
}  // namespace gemmill::test
