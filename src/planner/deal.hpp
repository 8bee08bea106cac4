// SPDX-License-Identifier: Apache-2.0
// Who computes what: which tiles of C each device has, how large the tiles are, and what of it all
// fits its memory.
#pragma once

#include <vector>

#include "planner/decompose.hpp"
#include "planner/draft.hpp"
#include "planner/fit.hpp"
#include "planner/policy.hpp"
#include "planner/sequence.hpp"

namespace gemmill {

/// How a gemm is cut into strips.
struct Strips {
    double front = 0.5;    ///< part of the columns that grows while A arrives
    bool by_rows = false;  ///< by rows of A and columns of B in turn, not over k
    index_t panels = 8;    ///< parts of k, or of the rows and of the columns, for the front
    double growth = 1.4;   ///< from one panel to the next: the first ones are small
    index_t strips = 8;    ///< of the front, and of the other columns
    index_t drain = 1;     ///< times that the last strip is halved
    index_t slices = 1;    ///< of k, each for its part of the devices; their sums are added
    bool turns = false;    ///< devices behind one switch write one after the other
    index_t ahead = 0;     ///< parts of C that are read before one of them is written; 0: any
    index_t bands = 0;     ///< of rows, where memory is short: this many at least
    bool operator==(const Strips&) const = default;
};

/// What is left to choose once the policy is fixed.
struct Choice {
    std::vector<DeviceId> devices;
    Grid grid;                   ///< of the devices; empty: the one that fetches least
    std::vector<double> shares;  ///< of C, by device; empty: by their rates
    TileSize tile;               ///< 0: square, by the policy's rule
    bool fixed_tile = false;     ///< the user's: not to be made smaller
    double outer = 1;            ///< part of k that goes over all C tiles before they are finished
    index_t late_slots = 4;      ///< for tiles of C that wait to be added
    int queues = 0;              ///< compute queues of each device; 0: what the device has
    Strips strips;               ///< for order strips
    bool operator==(const Choice&) const = default;
};

/// The part of one device.
struct Hand {
    Block block;  ///< for tiles dealt out singly: as large as all of them together
    MemoryId memory = -1;
    bool late_c = false;  ///< C is fetched after its products
    Fit fit;
    Share share;           ///< numbers of its row and column parts
    std::vector<Part> ks;  ///< parts of k
};

struct Deal {
    std::vector<Part> rows, cols;  ///< parts of m and n, by number
    std::vector<Hand> hands;
};

/// Deals the tiles of C to the devices of the choice. The plan has its machine, problem and limits.
/// Throws Error(out_of_memory).
Deal deal_tiles(const Draft& plan, const Policy& policy, const Choice& choice);

}  // namespace gemmill
