// SPDX-License-Identifier: Apache-2.0
// Which devices a plan may do without.
#pragma once

#include <vector>

#include "planner/draft.hpp"

namespace gemmill {

/// So many of the frame's devices: those where operands live first, then those that together get
/// most from the host, then the fastest.
std::vector<DeviceId> pick_devices(const Draft& frame, std::size_t count);

/// Half of the frame's devices, a quarter and so on, the largest first, and one device behind each
/// switch, as far as further ones add little to what the host's links carry.
std::vector<std::vector<DeviceId>> halves_of(const Draft& frame);
/// All other numbers of them that are picked, the largest first.
std::vector<std::vector<DeviceId>> others_than_halves(const Draft& frame);

}  // namespace gemmill
