// SPDX-License-Identifier: Apache-2.0
#include "task/grids.hpp"

#include <utility>

namespace gemmill {
namespace {

std::size_t at(auto i) { return static_cast<std::size_t>(i); }

}  // namespace

TileGrid::TileGrid(OperandId operand, std::vector<Part> rows, std::vector<Part> cols)
    : operand_(operand),
      rows_(std::move(rows)),
      cols_(std::move(cols)),
      ids_(rows_.size() * cols_.size(), -1) {}

TileId TileGrid::tile(std::vector<Tile>& tiles, index_t i, index_t j) {
    TileId& id = ids_[at(i) * cols_.size() + at(j)];
    if (id < 0) {
        const Part &r = rows_[at(i)], &c = cols_[at(j)];
        id = static_cast<TileId>(tiles.size());
        tiles.push_back({operand_, r.first, c.first, r.count, c.count});
    }
    return id;
}

TileGrid turned_grid(OperandId operand, Op op, const std::vector<Part>& rows,
                     const std::vector<Part>& cols) {
    return op == Op::NoTrans ? TileGrid(operand, rows, cols) : TileGrid(operand, cols, rows);
}

Panels::Panels(OperandId operand, Op op, const std::vector<Part>& panels,
               const std::vector<Part>& blocks, const std::vector<Part>& ks)
    : op_(op),
      panels_(panels),
      blocks_(blocks),
      panel_tiles_(turned_grid(operand, op, panels, ks)),
      block_tiles_(turned_grid(operand, op, blocks, ks)) {
    index_t panel = 0;
    for (const Part& block : blocks) {
        while (block.first >= panels[at(panel)].first + panels[at(panel)].count) ++panel;
        panel_of_.push_back(panel);
    }
}

TileId Panels::numbered(TileGrid& grid, std::vector<Tile>& tiles, index_t i, index_t l) const {
    return op_ == Op::NoTrans ? grid.tile(tiles, i, l) : grid.tile(tiles, l, i);
}

Piece Panels::block(std::vector<Tile>& tiles, index_t block, index_t l) {
    const TileId whole = numbered(panel_tiles_, tiles, panel_of(block), l);
    if (blocks_[at(block)] == panels_[at(panel_of(block))]) return {whole, whole};
    return {numbered(block_tiles_, tiles, block, l), whole};
}

Piece Panels::rows(std::vector<Tile>& tiles, const Part& rows, index_t panel, index_t l) {
    const TileId whole = numbered(panel_tiles_, tiles, panel, l);
    if (rows == panels_[at(panel)]) return {whole, whole};
    Tile some = tiles[at(whole)];
    (op_ == Op::NoTrans ? some.row : some.col) = rows.first;
    (op_ == Op::NoTrans ? some.rows : some.cols) = rows.count;
    tiles.push_back(some);
    return {static_cast<TileId>(tiles.size()) - 1, whole};
}

}  // namespace gemmill
