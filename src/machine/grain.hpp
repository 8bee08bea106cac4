// SPDX-License-Identifier: Apache-2.0
// Sizes that kernels like.
#pragma once

#include <algorithm>

#include "gemmill/machine.hpp"

namespace gemmill {

/// What a chip or a plan may say.
inline constexpr index_t coarsest_grain = 1024;

/// Sizes that kernels of the device like are multiples of it; 1: any.
inline index_t grain_of(const Machine& machine, const Device& device) {
    return device.chip < 0 ? 1 : machine.chips[static_cast<std::size_t>(device.chip)].grain;
}
/// The coarsest of the devices'.
inline index_t grain_of(const Machine& machine) {
    index_t grain = 1;
    for (const Device& device : machine.devices) grain = std::max(grain, grain_of(machine, device));
    return grain;
}

}  // namespace gemmill
