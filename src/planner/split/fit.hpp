// SPDX-License-Identifier: Apache-2.0
// How a device's block is held in its memory: all of it, or C in resident parts with A and B
// streamed past them.
#pragma once

#include <array>
#include <cstdint>

#include "planner/split/decompose.hpp"

namespace gemmill {

/// What computing and moving cost a device, roughly.
struct Pace {
    double rate = 1e13;       ///< flops a second
    double bandwidth = 1e10;  ///< bytes a second from where A and B live
    double run_overhead = 0;  ///< bytes, for each column of a part of a matrix
    double issue = 0;         ///< seconds, for each step
};

/// What a device must hold copies of, and how much room it has.
struct Room {
    Block block;
    index_t k = 0;  ///< 0: nothing is multiplied
    Type type = Type::d;
    index_t grain = 1;
    std::array<bool, 3> local{};    ///< A, B, C: do they live in the device's own memory?
    std::int64_t limit = 0;         ///< bytes
    index_t extra_c = 0;            ///< slots for tiles of C that wait to be added
    bool keep_all = true;           ///< hold every tile once it is there, when there is room
    std::array<bool, 2> flipped{};  ///< A, B: stored transposed
    Pace pace;
    double most_products = 1e7;  ///< of tiles
};

struct Fit {
    TileSize tile;
    index_t rows = 0, cols = 0;  ///< resident part of C, in tiles
    bool whole = false;          ///< everything stays: each tile is fetched once
    std::array<index_t, 3> slots{};
    std::array<std::int64_t, 3> slot_bytes{};
};

/// Fits with this tile or, when `may_shrink`, with the smaller one that takes least time. Throws
/// Error(out_of_memory).
Fit fit_in_memory(const Room& room, const TileSize& tile, bool may_shrink);

/// A few slots for C and as many for A as for B: for tiles that stay while they are used. Throws
/// Error(out_of_memory).
Fit fit_cache(const Room& room, const TileSize& tile, bool may_shrink);

/// Whether everything can stay, with this tile.
bool fits_whole(const Room& room, const TileSize& tile);

}  // namespace gemmill
