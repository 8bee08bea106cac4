// SPDX-License-Identifier: Apache-2.0
// Which GPUs of a node a rank computes with, and how much of their memory.
#pragma once

#include "gemmill/machine.hpp"
#include "gemmill/options.hpp"

namespace gemmill {

/// A rank among those of its node.
struct NodePlace {
    int rank = 0, ranks = 1;
};

/// The options for a rank's own products, on a machine as the options have it so far. Where they
/// name no GPUs in particular, ranks take turns with them: one GPU each, several where there are
/// more GPUs than ranks. Ranks that share a GPU get even parts of its memory, unless
/// `device_memory` says how much.
Options options_of_rank(Options options, const Machine& machine, const NodePlace& place);

/// The same, where three quarters of what a rank may take of its device are for the sums of
/// distributed products and their panels, which stay there between calls. A rank with several
/// devices has none.
struct RankDevices {
    Options options;
    std::int64_t sums = 0;
};
RankDevices devices_of_rank(const Options& options, const Machine& machine, const NodePlace& place);

}  // namespace gemmill
