// SPDX-License-Identifier: Apache-2.0
#include "task/grids.hpp"

#include <gtest/gtest.h>

namespace gemmill::test {
namespace {

TEST(Panels, parts_are_read_of_what_comes_whole) {
    const std::vector<Part> panels{{0, 6}, {6, 4}}, blocks{{0, 3}, {3, 3}, {6, 4}}, ks{{0, 5}};
    for (const Op op : {Op::NoTrans, Op::Trans}) {
        std::vector<Tile> tiles;
        Panels a(0, op, panels, blocks, ks);
        EXPECT_EQ(a.panel_of(1), 0);
        EXPECT_EQ(a.panel_of(2), 1);
        const Piece block = a.block(tiles, 1, 0), again = a.block(tiles, 1, 0);
        EXPECT_EQ(block.tile, again.tile);
        EXPECT_NE(block.tile, block.whole);
        const Tile part = tiles[static_cast<std::size_t>(block.tile)];
        const Tile whole = tiles[static_cast<std::size_t>(block.whole)];
        EXPECT_EQ(part, (op == Op::NoTrans ? Tile{0, 3, 0, 3, 5} : Tile{0, 0, 3, 5, 3}));
        EXPECT_EQ(whole, (op == Op::NoTrans ? Tile{0, 0, 0, 6, 5} : Tile{0, 0, 0, 5, 6}));
        EXPECT_EQ(a.rows(tiles, {3, 3}, 0, 0).whole, block.whole);
        const Piece all = a.block(tiles, 2, 0);
        EXPECT_EQ(all.tile, all.whole) << "a block that is a panel";
        EXPECT_EQ(a.rows(tiles, {6, 4}, 1, 0).tile, all.tile);
    }
}

}  // namespace
}  // namespace gemmill::test
