// SPDX-License-Identifier: Apache-2.0
// The two-level decomposition: a grid of devices, then tiles.
//
//   4 devices, m x n cut 2 x 2:      the block of one device, tiles of T x T:
//      +----+----+                      +--+--+-+
//      | d0 | d1 |                      |  |  | |   the last row and column of tiles
//      +----+----+                      +--+--+-+   are smaller, not padded
//      | d2 | d3 |                      +--+--+-+
//      +----+----+
#pragma once

#include <span>
#include <vector>

#include "matrix/tiling.hpp"
#include "planner/choice.hpp"
#include "planner/draft.hpp"

namespace gemmill {

/// The block of C that one device computes.
struct Block {
    DeviceId device = -1;
    Part rows, cols;
};

/// The grid of at most this many devices that fetches least and leaves none without work.
Grid best_grid(const Problem& problem, index_t devices);

/// Blocks for the devices, in their order; fewer when C has not enough elements. Equal devices form
/// the grid (the best one when it is empty). With `shares`, and for unequal devices by their rates,
/// they get columns in proportion, or rows when the grid has one column.
std::vector<Block> make_grid(const Machine& machine, const Problem& problem,
                             std::span<const DeviceId> devices, Grid grid = {},
                             std::span<const double> shares = {});

/// The edge T of square tiles by a policy's rule; each tile is cut to the block's own sizes.
/// `cost` has the least sum of remainders, too few tiles to overlap, and latencies of small tiles.
struct TileRule {
    Tiling tiling = Tiling::cost;
    Part rows, cols;  ///< of the largest block
    index_t m = 0, n = 0, k = 0;
    index_t devices = 1;
};
index_t choose_edge(const TileRule& rule);

}  // namespace gemmill
