// SPDX-License-Identifier: Apache-2.0
// The single-node part of the evaluation of GEMM over PaRSEC (Herault et al., "Generic Matrix
// Multiplication for Multi-GPU Accelerated Distributed-Memory Platforms over PaRSEC") on Summit.
#pragma once

#include <string>
#include <vector>

#include "reproduce/report.hpp"
#include "reproduce/reproduce.hpp"

namespace gemmill::command {

inline constexpr int parsec_gpus = 6;
inline constexpr int parsec_process_gpus = 3;  ///< of one process in the runs on several nodes

/// Tiles as in figure 2, and the one that all other runs have; `quick` takes one that makes small
/// plans instead.
inline std::vector<index_t> parsec_tiles(bool quick) {
    return quick ? std::vector<index_t>{4096} : std::vector<index_t>{512, 1024, 2048, 4096};
}
inline index_t parsec_tile(bool quick) { return quick ? 4096 : 1024; }

/// The paper's algorithm in the planner's words: columns of C dealt to GPUs in turn, resident
/// parts of C, k outside.
inline Variant parsec_variant(index_t tile) {
    return {"parsec, tile " + std::to_string(tile),
            "paralia",
            {"tile=" + std::to_string(tile), "spread=cyclic", "order=panels"}};
}

/// 70000, rounded up to whole tiles; A, B and C on the host.
inline Case parsec_case(index_t tile, int gpus) {
    const index_t n = (70000 + tile - 1) / tile * tile;
    return {Type::d, n, n, n, "h", gpus};
}

/// Section V.A, % of the practical peak: above 95 on 1 to 3 GPUs from tiles of 1024 on, 85 on 6.
inline constexpr double parsec_share(index_t tile, int gpus) {
    if (tile < 1024) return not_reported;
    if (gpus <= 3) return 95;
    return gpus == parsec_gpus ? 85 : not_reported;
}

/// Whole tiles of either; three of the largest just fit the 512 GB of the node.
inline const std::vector<index_t> parsec_sizes{8192, 16384, 32768, 49152, 69632, 102400, 143360};

/// Section V.B, processes with 3 GPUs on several nodes: loads in % of those of the paper's own
/// model, and how many of them come from another GPU.
inline constexpr double parsec_loads = 95, parsec_loads_from_peers = 50;

/// Equation 1, case c: bytes that all GPUs load for a square product of so many tiles a side.
/// Square blocks of C fill three quarters of the memories; each GPU has some columns of the block.
double parsec_model_loads(const Case& one, index_t tile, double memory);

}  // namespace gemmill::command
