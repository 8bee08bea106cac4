// SPDX-License-Identifier: Apache-2.0
// Where the operands of a call lie.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "gemmill/machine.hpp"

namespace gemmill {

/// Memories of A, B and C.
using Placement = std::array<MemoryId, 3>;

/// "h,h,0": h for host memory, a number for a device's, or a memory's name; one word means all
/// three. Throws Error(bad_argument).
Placement parse_placement(const Machine& machine, std::string_view text);
/// The names again: "host,host,gpu0".
std::string to_text(const Machine& machine, const Placement& placement);

}  // namespace gemmill
