// SPDX-License-Identifier: Apache-2.0
#include "rank/share/choose.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "gemmill/error.hpp"
#include "support/rank_product.hpp"

namespace gemmill::test {
namespace {

TEST(ChooseWork, thin_shapes_leave_the_large_factor) {
    EXPECT_EQ(Product(8000, 64, 8000, 2, 2).choose(named("best")).work.name, "stationary A");
    EXPECT_EQ(Product(64, 8000, 8000, 2, 2).choose(named("best")).work.name, "stationary B");
    EXPECT_EQ(Product(4000, 4000, 4000, 2, 2).choose(named("best")).work.name, "stationary C");
}

TEST(ChooseWork, named_bricks_are_cut_by_rows_or_by_columns_first) {
    const Product x(960, 480, 1920, 2, 3);
    const auto sent = [&](bool by_rows) {
        const Work work = brick_work(x.update, even_bricks(1, 2, 3, by_rows), x.ranks);
        EXPECT_EQ(work.name, "bricks 1x2x3");
        return cost_of(x.update, work, x.ranks).all_bytes;
    };
    const Work chosen = x.choose(named("bricks 1x2x3")).work;
    EXPECT_EQ(chosen.name, "bricks 1x2x3");
    EXPECT_EQ(cost_of(x.update, chosen, x.ranks).all_bytes, std::min(sent(true), sent(false)));
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
    const RankCut cut = x.choose(policy).cut;
    EXPECT_GT(cut.row_blocks, 1);
    EXPECT_EQ(cut.lookahead, 2);
    policy.row_block = 100, policy.col_block = 50, policy.depth = 10, policy.lookahead = 0;
    policy.memory = 0;
    const RankCut given = x.choose(policy).cut;
    EXPECT_EQ(given.row_blocks, 6);
    EXPECT_EQ(given.col_blocks, 11);
    EXPECT_EQ(given.depth, 10);
    EXPECT_EQ(given.lookahead, 0);
}

}  // namespace
}  // namespace gemmill::test
