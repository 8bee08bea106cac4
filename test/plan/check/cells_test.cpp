// SPDX-License-Identifier: Apache-2.0
#include "plan/check/cells.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plan/block_plan.hpp"

namespace gemmill::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct Seen {
    std::vector<std::size_t> cells;
    std::vector<Tile> blocks;
};
Seen seen(const Cells& cells, BufferId buffer, const Tile& block) {
    Seen all;
    cells.each(buffer, block, [&](std::size_t cell, const Tile& part) {
        all.cells.push_back(cell);
        all.blocks.push_back(part);
    });
    return all;
}

using namespace operand;

TEST(Cells, an_uncut_buffer_is_one_cell) {
    Plan plan;
    describe(gemm_problem(9, 9, 9), plan);
    plan.tiles = {{A, 2, 3, 4, 5}, {C, 0, 0, 9, 9}};
    plan.buffers = {{0, 0, 0, 0, 4, 0, 0}, {0, 1, 0, 0, 9, 0, 0}};
    const Cells cells(plan);
    EXPECT_EQ(cells.count(), 3U);  // and one for the user's C
    EXPECT_THAT(seen(cells, 1, plan.tiles[1]).cells, ElementsAre(1));
    EXPECT_THAT(seen(cells, 0, {A, 3, 4, 1, 1}).blocks, ElementsAre(plan.tiles[0]));
}

TEST(Cells, all_edges_cut) {
    const Plan plan = block_plan();
    const Cells cells(plan);
    const Seen a = seen(cells, 0, plan.tiles[0]);
    EXPECT_THAT(a.blocks, ElementsAre(Tile{A, 0, 0, 4, 4}, Tile{A, 4, 0, 4, 4}, Tile{A, 0, 4, 4, 4},
                                      Tile{A, 4, 4, 4, 4}));
    EXPECT_THAT(a.cells, ElementsAre(0, 1, 2, 3));
    const Seen b = seen(cells, 1, {B, 4, 0, 4, 6});  // pieces cut at column 4, kernels at 6
    EXPECT_THAT(b.blocks, ElementsAre(Tile{B, 4, 0, 4, 4}, Tile{B, 4, 4, 4, 2}));
    EXPECT_THAT(b.cells, ElementsAre(5, 7));
    EXPECT_THAT(seen(cells, 2, {C, 0, 0, 8, 8}).cells, ElementsAre(10, 11, 12));
    EXPECT_THAT(seen(cells, 3, {C, 0, 0, 8, 6}).cells, ElementsAre(13, 14));
    EXPECT_THAT(seen(cells, Ref::home, {C, 0, 0, 8, 8}).cells, ElementsAre(15, 16, 17));
    EXPECT_EQ(cells.count(), 18U);
}

/// A block of one place meets the cells of another.
TEST(Cells, a_block_need_not_follow_the_edges) {
    const Cells cells(block_plan());
    EXPECT_THAT(seen(cells, 0, {A, 3, 5, 1, 1}).cells, ElementsAre(2));
    EXPECT_THAT(seen(cells, 0, {A, 3, 3, 2, 1}).cells, ElementsAre(0, 1));
    EXPECT_THAT(seen(cells, 2, {C, 1, 3, 2, 2}).cells, ElementsAre(10, 11));
}

TEST(Cells, nothing_has_no_cells) {
    const Plan plan = block_plan();
    Plan empty;
    describe(gemm_problem(0, 0, 0), empty);
    const Cells cells(plan), none(empty);
    EXPECT_THAT(seen(cells, Ref::home, plan.tiles[0]).cells, IsEmpty());  // the user's A
    EXPECT_THAT(seen(cells, 0, {A, 0, 4, 8, 0}).cells, IsEmpty());        // an empty piece
    EXPECT_THAT(seen(none, Ref::home, {C, 0, 0, 0, 0}).cells, IsEmpty());
}

}  // namespace
}  // namespace gemmill::test
