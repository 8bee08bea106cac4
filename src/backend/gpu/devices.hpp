// SPDX-License-Identifier: Apache-2.0
// GPUs as devices of a machine: which ones, and in how many shares.
#pragma once

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

/// The machine of these shares, made of one with a memory `host` and memories `gpu0`, `gpu1`, ...
/// Each share has its part of the GPU's memory and speed; all use the same links. Throws
/// Error(no_device) when the machine lacks one of them.
struct SharedMachine {
    Machine machine;
    std::vector<int> ordinals;  ///< the GPU of each memory; -1: the host
};
SharedMachine share_gpus(const Machine& node, const std::vector<GpuShare>& shares);

}  // namespace gemmill
