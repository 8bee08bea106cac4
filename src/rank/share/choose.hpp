// SPDX-License-Identifier: Apache-2.0
// How a product is shared and cut. Every rank decides alike, from the distributions alone.
#pragma once

#include <string>

#include "rank/share/work.hpp"

namespace gemmill {

/// What the caller asks for; 0 and empty: chosen.
struct DistPolicy {
    /// best: what costs least; parsec: C stays, in blocks of b x c with stages of d; c, a, b: that
    /// matrix stays; bricks PxQxR.
    std::string name = "best";
    index_t row_block = 0, col_block = 0, depth = 0;
    int lookahead = -1;       ///< -1: chosen
    std::int64_t memory = 0;  ///< bytes that a call may take of each rank; 0: no limit
    bool one_node = false;    ///< messages are copies in memory, which take cores from products
    bool shared = false;      ///< all ranks see memory in which panels can lie
    bool one_device = false;  ///< and so is memory of one device, with which all ranks compute
    /// Bytes that the device of every rank has for sums of C, so that these stay there from stage
    /// to stage and cores are free for messages; 0: not every rank has a device.
    std::int64_t device_memory = 0;
};

/// What a rank computes and gets from others in a second.
struct RankRates {
    double flops = 1, bytes = 1;
};

struct DistChoice {
    Work work;
    RankCut cut;
    double seconds = 0;       ///< as the rates have it
    std::int64_t memory = 0;  ///< bytes that the rank with most of it needs, about
};

/// Throws Error(bad_argument) for an unknown policy, Error(out_of_memory) saying how much is
/// missing where nothing fits.
DistChoice choose_work(const DistUpdate& update, const DistPolicy& policy, const RankRates& rates,
                       int ranks);

}  // namespace gemmill
