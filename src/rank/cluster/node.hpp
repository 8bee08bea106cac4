// SPDX-License-Identifier: Apache-2.0
// What one rank of a cluster has of its node, and how long its devices take for a stage: they share
// the block of C by columns of tiles in turn, hold it, and get A and B of the stage once each.
#pragma once

#include "machine/load/cluster.hpp"
#include "rank/program/program.hpp"

namespace gemmill {

/// The devices of a rank are alike, and so are their links.
struct NodeShare {
    int devices = 1;
    double peak = 1;          ///< flop/s of a device
    std::int64_t memory = 0;  ///< bytes of a device
    double host = 1;          ///< bytes/s from host memory to each device when all read at once
    double peer = 0;          ///< bytes/s between two devices; 0: there is no link
    double startup = 0;       ///< seconds before a device has its first tile and begins with it
    std::int64_t host_memory = 0;
};
/// Throws Error(bad_argument) where the node's devices cannot compute the type.
NodeShare share_of_rank(const Cluster& cluster, const Machine& node, Type type);

/// How a rank's stage is cut on its devices.
struct DeviceTiles {
    Type type = Type::d;
    index_t tile = 1024;
};

/// A stage of a rank program.
struct StageShape {
    index_t rows = 0, cols = 0, depth = 0;
    bool first = false, last = false;  ///< of its block of C
};

/// Elements that each device of a rank gets for a stage.
struct StageLoads {
    double from_host = 0, from_peers = 0, of_c = 0;
};
StageLoads loads_of(const NodeShare& node, const DeviceTiles& tiles, const StageShape& stage);

/// C is read at the beginning of its block and written at the end of it, while the devices compute
/// with the first and last tiles of k; all else of the transfers is hidden behind the arithmetic or
/// the other way round.
double seconds_of(const NodeShare& node, const DeviceTiles& tiles, const StageShape& stage);

/// b, c and d as section III.B.3 of the GEMM paper on PaRSEC has them, in elements: C in even
/// blocks that take three quarters of the devices' memory at most, d as large as what is left.
struct PaperBlocks {
    index_t rows = 0, cols = 0, depth = 0;
    bool all_fits = false;  ///< A and B of the rank too: case a
};
/// For a rank with rows x cols of C and all k. Throws Error(out_of_memory) where no tile fits.
PaperBlocks paper_blocks(const NodeShare& node, const DeviceTiles& tiles, index_t rows,
                         index_t cols, index_t k);

}  // namespace gemmill
