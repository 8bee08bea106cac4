// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <map>
#include <tuple>

#include "support/rank_product.hpp"

namespace gemmill::test {
namespace {

TEST(RankProgram, stationary_c_sends_what_summa_counts) {
    const Product x(320, 256, 192, 2, 4);
    for (const char* name : {"c", "parsec"}) {
        const DistChoice choice = x.choose(named(name));
        // A goes to the other columns of the grid, B to its other rows.
        EXPECT_EQ(sent_by_all(x, choice), 8 * (3 * 320 * 192 + 1 * 192 * 256)) << name;
    }
}

TEST(RankProgram, everyone_receives_what_others_send) {
    const Product x(330, 250, 190, 3, 2);
    for (const char* name : {"c", "a", "b", "bricks 2x1x3"})
        for (const std::int64_t chain : {std::int64_t{0}, std::int64_t{1} << 40}) {
            DistPolicy policy = named(name);
            policy.depth = 37, policy.lookahead = 2;
            DistChoice choice = x.choose(policy);
            choice.cut.chain_bytes = chain;
            std::map<std::tuple<int, int, std::int64_t>, std::int64_t> under_way;
            for (int rank = 0; rank < x.ranks; ++rank)
                for (const Fetch& fetch : x.program(choice, rank).fetches) {
                    for (const int to : fetch.to) under_way[{rank, to, fetch.tag}] += fetch.bytes;
                    if (fetch.from != rank) under_way[{fetch.from, rank, fetch.tag}] -= fetch.bytes;
                }
            EXPECT_FALSE(under_way.empty());
            for (const auto& [message, bytes] : under_way) EXPECT_EQ(bytes, 0) << name;
        }
}

TEST(RankProgram, a_chain_spares_the_source) {
    const Product x(64, 64 * 8, 64, 1, 8);
    DistChoice choice = x.choose(named("c"));
    const auto sends_of_first = [&](std::int64_t chain) {
        choice.cut.chain_bytes = chain;
        std::size_t count = 0;
        for (const Fetch& fetch : x.program(choice, 0).fetches)
            if (fetch.from == 0) count += fetch.to.size();
        return count;
    };
    EXPECT_EQ(sends_of_first(0), 1U);
    EXPECT_EQ(sends_of_first(std::int64_t{1} << 40), 7U);
}

TEST(RankProgram, stages_share_the_places_of_lookahead) {
    const Product x(256, 256, 512, 2, 2);
    DistPolicy policy = named("c");
    policy.depth = 64, policy.lookahead = 1;
    const RankProgram two = x.program(x.choose(policy), 0);
    policy.lookahead = 3;
    const RankProgram four = x.program(x.choose(policy), 0);
    EXPECT_EQ(two.stages.size(), 8U);
    EXPECT_EQ(2 * (two.arena_bytes - two.sums_bytes), four.arena_bytes - four.sums_bytes);
    EXPECT_EQ(name_of(two, two.steps.front()).substr(0, 7), "receive");
}

TEST(RankProgram, chains_of_several_ranks_work_in_pieces_and_all_know_it) {
    const Product x(640, 640, 640, 1, 4);
    DistChoice choice = x.choose(named("c"));
    choice.cut.chain_bytes = 0, choice.cut.piece_bytes = 1000;
    for (int rank = 0; rank < x.ranks; ++rank)
        for (const Fetch& fetch : x.program(choice, rank).fetches) {
            EXPECT_EQ(fetch.piece, 1000);
            EXPECT_LT(fetch.hop, 3);
            EXPECT_LE(fetch.to.size(), 1U);
        }
    // Nobody passes anything on: one message does.
    const Product two(640, 640, 640, 1, 2);
    for (const Fetch& fetch : two.program(two.choose(named("c")), 0).fetches)
        EXPECT_EQ(fetch.piece, fetch.bytes);
}

TEST(RankProgram, thousands_of_ranks_make_a_program_for_each_by_itself) {
    const Product x(16 * 500, 16 * 500, 16 * 400, 50, 40);
    const DistChoice choice = x.choose(named("c"));
    const RankProgram program = x.program(choice, 777);
    // Each rank gets what it has not itself of 160 rows of A and 192 or 208 columns of B.
    std::int64_t got = 0;
    for (const Fetch& fetch : program.fetches) got += fetch.from == 777 ? 0 : fetch.bytes;
    const auto rows = total(program.blocks[0].rows), cols = total(program.blocks[0].cols);
    const auto missing = [&](index_t lines, int parts) {
        return lines * 6400 * (parts - 1) / parts;
    };
    EXPECT_EQ(got, 8 * (missing(rows, 40) + missing(cols, 50)));
    EXPECT_LT(own_bytes(program), 1 << 22);
}

}  // namespace
}  // namespace gemmill::test
