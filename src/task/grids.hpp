// SPDX-License-Identifier: Apache-2.0
// Operands cut into tiles, which get their numbers when they are first asked for.
#pragma once

#include <vector>

#include "gemmill/plan.hpp"
#include "matrix/tiling.hpp"

namespace gemmill {

/// Each tile for itself.
class TileGrid {
  public:
    TileGrid(OperandId operand, std::vector<Part> rows, std::vector<Part> cols);
    TileId tile(std::vector<Tile>& tiles, index_t i, index_t j);

  private:
    OperandId operand_;
    std::vector<Part> rows_, cols_;
    std::vector<TileId> ids_;
};

/// Of an operand that is stored as it is or transposed.
TileGrid turned_grid(OperandId operand, Op op, const std::vector<Part>& rows,
                     const std::vector<Part>& cols);

/// Some of an operand, and the tile that comes to a device for it.
struct Piece {
    TileId tile = -1, whole = -1;
};

/// A factor of a rank update: its rows in panels, each of some part of k, of which parts are read.
class Panels {
  public:
    /// Every block lies within one panel.
    Panels(OperandId operand, Op op, const std::vector<Part>& panels,
           const std::vector<Part>& blocks, const std::vector<Part>& ks);

    index_t panel_of(index_t block) const { return panel_of_[static_cast<std::size_t>(block)]; }
    Piece block(std::vector<Tile>& tiles, index_t block, index_t l);
    /// Rows of a panel, new each time, but for all of them.
    Piece rows(std::vector<Tile>& tiles, const Part& rows, index_t panel, index_t l);

  private:
    TileId numbered(TileGrid& grid, std::vector<Tile>& tiles, index_t i, index_t l) const;

    Op op_;
    std::vector<Part> panels_, blocks_;
    std::vector<index_t> panel_of_;  // by block
    TileGrid panel_tiles_, block_tiles_;
};

}  // namespace gemmill
