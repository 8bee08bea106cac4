// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

namespace gemmill {

/// A block of a GPU's memory as other processes find it, and the GPU that has it.
struct GpuSharedBlock {
    std::array<std::byte, 64> block{};
    std::array<std::byte, 16> gpu{};
    bool operator==(const GpuSharedBlock&) const = default;
};

}  // namespace gemmill
