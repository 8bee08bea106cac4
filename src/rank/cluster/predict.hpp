// SPDX-License-Identifier: Apache-2.0
// What a distributed product takes on a cluster: the programs of its ranks on the clock.
#pragma once

#include <string>

#include "rank/cluster/clock.hpp"
#include "rank/share/choose.hpp"

namespace gemmill {

/// C = A B + C, all three block-cyclic with square blocks of a tile on a grid of ranks.
struct ClusterCall {
    Type type = Type::d;
    index_t m = 0, n = 0, k = 0;
    int grid_rows = 1, grid_cols = 1;
    index_t tile = 1024;
    /// parsec: the paper's b, c, d; best: the fastest of those and others.
    std::string policy = "best";
    int lookahead = -1;  ///< -1: chosen
    int devices = 0;     ///< of a rank; 0: its even share of the node
};

struct ClusterPrediction {
    ClusterTimes times;
    std::string work;        ///< which way was taken
    std::string paper_case;  ///< of parsec: a, c1 or c2
    index_t row_block = 0, col_block = 0, depth = 0, stages = 0;
    int lookahead = 0;
    bool all_ranks = true;         ///< else one, with the others in step
    double plan_seconds = 0;       ///< that one rank took for its program
    std::int64_t plan_bytes = 0;   ///< and the memory of it
    std::int64_t arena_bytes = 0;  ///< of host memory, besides the matrices
    double device_loads = 0;       ///< elements that a device of rank 0 gets
    double loads_of_model = 0;     ///< what equation 1 of the paper counts
    double peer_share = 0;         ///< of the loads: from other devices
};

/// Throws Error naming what does not fit: the grid, the policy, a tile.
ClusterPrediction predict_call(const Cluster& cluster, const ClusterCall& call);

}  // namespace gemmill
