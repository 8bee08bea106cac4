// SPDX-License-Identifier: Apache-2.0
// All kernels that a template could make, and the rules that leave few of them: hard ones are of
// the hardware, soft ones are of experience.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "gemmill/types.hpp"

namespace gemmill {

/// Parameters of PipeTile (kernel/cuda/tile/pipe.cuh): an instruction is rows x 8 x depth, a warp
/// makes mt x nt of them, a tile wr x wc warps; slabs of so much k go through so many stages. One
/// stage is MmaTile (tile/mma.cuh) with one warp, which reads fragments where they lie.
struct PipeCandidate {
    int rows = 8, depth = 4, mt = 1, nt = 1, wr = 1, wc = 1, slab = 8, stages = 2;
    bool operator==(const PipeCandidate&) const = default;

    int tile_m() const { return rows * mt * wr; }
    int tile_n() const { return 8 * nt * wc; }
    int threads() const { return 32 * wr * wc; }
    bool is_piped() const { return stages > 1; }
};
/// "PipeTile<T, 16, 8, 2, 4, 2, 2, 16, 3>".
std::string to_text(const PipeCandidate& candidate);

/// What a multiprocessor has, and how many there are.
struct GpuLimits {
    int processors = 132;
    int threads_of_block = 1024, threads = 2048;
    int registers_of_thread = 255, registers = 65536;
    int shared_of_block = 227 << 10, shared = 228 << 10;
};

/// Columns of fragments of C that are read at a time when a tile ends.
int columns_ahead(const PipeCandidate& candidate);
/// Bytes of shared memory of a block.
int shared_bytes(const PipeCandidate& candidate, Type type);
/// Registers of a thread, at least: sums, one step of fragments or what is read of C, and what
/// addresses take.
int registers_about(const PipeCandidate& candidate, Type type);
/// Blocks that a multiprocessor holds, by the above and some more registers.
int blocks_at_once(const PipeCandidate& candidate, Type type, const GpuLimits& limits);

struct SpaceRule {
    std::string words;
    bool is_hard = false;
    std::function<bool(const PipeCandidate&)> holds;
};
std::vector<SpaceRule> pipe_rules(Type type, const GpuLimits& limits);
std::vector<SpaceRule> warp_rules(Type type, const GpuLimits& limits);

struct Space {
    struct Removed {
        std::string words;
        bool is_hard = false;
        std::size_t count = 0;
    };
    std::size_t all = 0;
    std::vector<Removed> removed;  ///< by each rule, of what the ones before left
    std::vector<PipeCandidate> left;
};
Space pipe_space(Type type, const GpuLimits& limits = {});
Space warp_space(Type type, const GpuLimits& limits = {});

}  // namespace gemmill
