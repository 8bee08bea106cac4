// SPDX-License-Identifier: Apache-2.0
// Who computes what: which tiles of C each device has, how large the tiles are, and what of it all
// fits its memory.
#pragma once

#include <vector>

#include "planner/choice.hpp"
#include "planner/draft.hpp"
#include "planner/policy.hpp"
#include "planner/split/decompose.hpp"
#include "planner/split/fit.hpp"
#include "planner/split/sequence.hpp"

namespace gemmill {

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
