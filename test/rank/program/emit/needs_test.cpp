// SPDX-License-Identifier: Apache-2.0
#include "rank/program/emit/needs.hpp"

#include <gtest/gtest.h>

#include "support/rank_product.hpp"

namespace gemmill::test {
namespace {

index_t first_of(const IndexSet& set) { return set.empty() ? -1 : set.front().begin; }
index_t last_of(const IndexSet& set) {
    return set.empty() ? -1 : set.back().begin + set.back().count;
}

TEST(Needs, parts_of_k_are_even_and_make_all_of_it) {
    const Product x(32, 32, 100, 1, 1);
    const Work work = stationary_c(x.update, 1);
    RankCut cut;
    cut.depth = 30;
    const Needs needs(x.update, work, cut);
    ASSERT_EQ(needs.parts(), 4);
    for (index_t part = 0; part < 4; ++part)
        EXPECT_EQ(total(needs.depth(work.of_rank[0], part)), 25);
}

TEST(Needs, the_first_part_of_k_is_made_of_some_that_grow) {
    const Product x(32, 32, 6144, 1, 1);
    const Work work = stationary_c(x.update, 1);
    RankCut cut;
    cut.depth = 2048, cut.grows = true;
    const Needs needs(x.update, work, cut);
    std::vector<index_t> sizes;
    index_t end = 0;
    for (index_t part = 0; part < needs.parts(); ++part) {
        const IndexSet k = needs.depth(work.of_rank[0], part);
        EXPECT_EQ(first_of(k), end);
        end = last_of(k);
        sizes.push_back(total(k));
    }
    EXPECT_EQ(end, 6144);
    EXPECT_EQ(sizes, (std::vector<index_t>{256, 256, 512, 1024, 2048, 2048}));
}

TEST(Needs, small_parts_of_k_do_not_grow) {
    const Product x(32, 32, 600, 1, 1);
    const Work work = stationary_c(x.update, 1);
    RankCut cut;
    cut.depth = 300, cut.grows = true;
    EXPECT_EQ(Needs(x.update, work, cut).parts(), 2);
}

TEST(Needs, blocks_of_c_are_even_and_make_all_of_it) {
    const Product x(100, 64, 16, 1, 1);
    const Work work = stationary_c(x.update, 1);
    RankCut cut;
    cut.row_blocks = 3, cut.col_blocks = 2;
    const Needs needs(x.update, work, cut);
    index_t elements = 0;
    for (int block = 0; block < 6; ++block) {
        const CBlock c = needs.block(work.of_rank[0], block);
        EXPECT_NEAR(static_cast<double>(total(c.rows)), 33.5, 1);
        elements += total(c.rows) * total(c.cols);
    }
    EXPECT_EQ(elements, 100 * 64);
}

TEST(Needs, a_triangle_leaves_out_what_it_has_only_zeros_for) {
    Product x(90, 90, 90, 1, 1);
    x.update.terms[0].a.fill = Fill::lower;
    const Work work = stationary_c(x.update, 1);
    RankCut cut;
    cut.depth = 30;
    const Needs needs(x.update, work, cut);
    for (index_t part = 0; part < 3; ++part) {
        const IndexSet rows = needs.across(work.of_rank[0], {}, part, 0);
        EXPECT_EQ(first_of(rows), 30 * part);
        EXPECT_EQ(last_of(rows), 90);
        EXPECT_EQ(total(needs.across(work.of_rank[0], {}, part, 1)), 90);
    }
    x.update.terms[0].a.op = Op::Trans;
    const IndexSet rows = needs.across(work.of_rank[0], {}, 1, 0);
    EXPECT_EQ(first_of(rows), 0);
    EXPECT_EQ(last_of(rows), 60);
}

TEST(Needs, a_rank_without_work_needs_nothing) {
    const Product x(32, 32, 32, 1, 1);
    const Work work = stationary_c(x.update, 2);
    const Needs needs(x.update, work, {});
    EXPECT_TRUE(needs.depth(work.of_rank[1], 0).empty());
    EXPECT_TRUE(needs.across(work.of_rank[1], {}, 0, 0).empty());
    EXPECT_TRUE(needs.block(work.of_rank[1], 0).rows.empty());
    EXPECT_FALSE(is_cleared(x.update, work, 0));
}

}  // namespace
}  // namespace gemmill::test
