// SPDX-License-Identifier: Apache-2.0
// GPUs as devices of a machine: which ones, and in how many shares.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gemmill/machine.hpp"

namespace gemmill {

/// One GPU as `count` devices.
struct GpuShare {
    int gpu = 0;
    int count = 1;
    bool operator==(const GpuShare&) const = default;
};

/// "cuda" is all `gpus` of them; "cuda:0,2" two; "cuda:0x4" the first in four shares. Throws
/// Error(bad_argument) and Error(no_device).
std::vector<GpuShare> parse_gpus(std::string_view text, int gpus);

/// Host memory that is not pinned is a memory of its own: it moves at the speed of the threads that
/// pack it.
inline constexpr const char* pageable_name = "pageable";

/// What is known of those threads: bytes/s of one direction alone and of both together, seconds
/// before the first byte, and extra bytes that each run of a 2-D copy costs.
struct Packing {
    double in = 0, out = 0, both = 0, latency = 0, run_overhead = 0;
};

/// Adds the memory `pageable`, where it is not there, and its links to and from a GPU.
void add_pageable(Machine& machine, MemoryId gpu, const Packing& packing,
                  const std::string& origin);
/// The machine with such links for every GPU; where there is no such memory, with what so many
/// threads do elsewhere.
Machine with_pageable(Machine node, int threads);

/// The machine of these shares, made of one with a memory `host` and memories `gpu0`, `gpu1`, ...
/// Each share has its part of the GPU's memory and speed; all use the same links. The memory
/// `pageable` comes last, if there is one. Throws Error(no_device) when the machine lacks one of
/// the others.
struct SharedMachine {
    Machine machine;
    std::vector<int> ordinals;  ///< the GPU of each memory; -1: the host
};
SharedMachine share_gpus(const Machine& node, const std::vector<GpuShare>& shares);

}  // namespace gemmill
