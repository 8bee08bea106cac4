// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <map>
#include <tuple>

#include "gemmill/error.hpp"
#include "rank/program/program.hpp"
#include "rank/share/choose.hpp"

namespace gemmill::test {
namespace {

/// C = A B, all on one grid in blocks of 16.
struct Product {
    Product(index_t m, index_t n, index_t k, int p, int q) : ranks(p * q) {
        a = matrix(m, k, p, q), b = matrix(k, n, p, q);
        update.m = m, update.n = n, update.k = k;
        update.c = matrix(m, n, p, q);
        update.terms = {{{&a}, {&b}, {1, 0}}};
    }
    RankMatrix matrix(index_t rows, index_t cols, int p, int q) const {
        BlockCyclic x;
        x.rows = rows, x.cols = cols, x.row_block = x.col_block = 16;
        x.grid_rows = p, x.grid_cols = q;
        return {Distribution(x, ranks), {{nullptr, std::max<index_t>(1, rows)}}};
    }
    RankProgram program(const DistChoice& choice, int rank) const {
        return emit_program(update, choice.work, choice.cut, rank, ranks);
    }
    DistChoice choose(const DistPolicy& policy) const {
        return choose_work(update, policy, {20, 1}, ranks);
    }

    int ranks;
    RankMatrix a, b;
    DistUpdate update;
};

DistPolicy named(const char* name) {
    DistPolicy policy;
    policy.name = name;
    return policy;
}

TEST(RankProgram, stationary_c_sends_what_summa_counts) {
    const Product x(320, 256, 192, 2, 4);
    for (const char* name : {"c", "parsec"}) {
        const DistChoice choice = x.choose(named(name));
        std::int64_t sent = 0;
        for (int rank = 0; rank < x.ranks; ++rank) sent += x.program(choice, rank).sent_bytes;
        // A goes to the other columns of the grid, B to its other rows.
        EXPECT_EQ(sent, 8 * (3 * 320 * 192 + 1 * 192 * 256)) << name;
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

TEST(ChooseWork, thin_shapes_leave_the_large_factor) {
    EXPECT_EQ(Product(8000, 64, 8000, 2, 2).choose(named("best")).work.name, "stationary A");
    EXPECT_EQ(Product(64, 8000, 8000, 2, 2).choose(named("best")).work.name, "stationary B");
    EXPECT_EQ(Product(4000, 4000, 4000, 2, 2).choose(named("best")).work.name, "stationary C");
}

TEST(ChooseWork, stays_below_the_cap_and_says_what_is_missing) {
    const Product x(512, 512, 512, 2, 2);
    for (const std::int64_t cap : {2 << 20, 1 << 20, 300 << 10, 100 << 10, 40 << 10}) {
        DistPolicy policy = named("c");
        policy.memory = cap;
        const DistChoice choice = x.choose(policy);
        EXPECT_LE(choice.memory, cap);
        EXPECT_LE(x.program(choice, 0).arena_bytes, cap);
    }
    DistPolicy policy = named("best");
    policy.memory = 10;
    try {
        x.choose(policy);
        FAIL() << "fits into 10 bytes";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), Code::out_of_memory);
        EXPECT_NE(error.text().find("more than rank_memory allows"), std::string::npos);
    }
    EXPECT_THROW(x.choose(named("fast")), Error);
    EXPECT_THROW(x.choose(named("bricks 3x3x3")), Error);
}

TEST(ChooseWork, parsec_splits_c_and_looks_further_ahead) {
    const Product x(1024, 1024, 256, 2, 2);
    EXPECT_EQ(x.choose(named("parsec")).cut.lookahead, 1);
    DistPolicy policy = named("parsec");
    policy.memory = 1 << 20;
    const Cut cut = x.choose(policy).cut;
    EXPECT_GT(cut.row_blocks, 1);
    EXPECT_EQ(cut.lookahead, 2);
    policy.row_block = 100, policy.col_block = 50, policy.depth = 10, policy.lookahead = 0;
    policy.memory = 0;
    const Cut given = x.choose(policy).cut;
    EXPECT_EQ(given.row_blocks, 6);
    EXPECT_EQ(given.col_blocks, 11);
    EXPECT_EQ(given.depth, 10);
    EXPECT_EQ(given.lookahead, 0);
}

}  // namespace
}  // namespace gemmill::test
