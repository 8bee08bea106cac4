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

#include "gemmill/plan.hpp"
#include "matrix/tiling.hpp"

namespace gemmill {

/// The block of C that one device computes.
struct Block {
    DeviceId device = -1;
    Part rows, cols;
};

/// Blocks for the devices, in their order; fewer when C has not enough elements. Equal devices form
/// the r x c grid that fetches least; unequal ones get strips in proportion to their rates.
std::vector<Block> make_grid(const Machine& machine, const Problem& problem,
                             std::span<const DeviceId> devices);

struct TileSize {
    index_t m = 0, n = 0, k = 0;
    bool operator==(const TileSize&) const = default;
};

/// The square T, cut to the block's own sizes, with the least sum of three costs: remainders,
/// too few tiles to overlap, and tiles too small for the links and kernels.
TileSize choose_tile(Part rows, Part cols, index_t k);

}  // namespace gemmill
