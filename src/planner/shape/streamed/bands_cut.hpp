// SPDX-License-Identifier: Apache-2.0
// How a gemm is cut into bands and strips that fit one device's memory (bands.hpp).
#pragma once

#include <cstdint>
#include <vector>

#include "planner/draft.hpp"
#include "planner/split/deal.hpp"

namespace gemmill {

/// How the problem is cut, and what of it lies on the device at a time.
struct BandCut {
    index_t bands = 1;
    index_t rows = 0;  ///< of a band
    index_t head = 0;  ///< part of k whose A is brought before the band before it is finished
    std::vector<Part> front, rest;
    index_t depth = 0;                                 ///< of a panel of k
    std::int64_t seat_b = 0, seat_c = 0, front_c = 0;  ///< bytes
    index_t seats = 0;                                 ///< of the rings of B and of C
};

/// As few bands as fit, or as many as were asked for, and then as wide strips as fit. Throws
/// Error(out_of_memory).
BandCut find_cut(const Draft& plan, const Strips& strips, MemoryId memory);

}  // namespace gemmill
