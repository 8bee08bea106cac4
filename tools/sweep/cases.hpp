// SPDX-License-Identifier: Apache-2.0
// Random problems on random machines, each from a seed and a number alone.
#pragma once

#include <cstdint>
#include <string>

#include "gemmill/machine.hpp"
#include "gemmill/problem.hpp"

namespace gemmill::command {

struct SweepCase {
    Machine machine;
    Problem problem;
    std::int64_t cap = 0;  ///< bytes of each device; 0: all it has
};

/// Case `number` of a seed: a machine of the catalogue, or 1 to 16 devices with rates, links and
/// memories of their own; any routine, type, size and placement; small caps. The same everywhere.
SweepCase sweep_case(std::uint64_t seed, std::uint64_t number);

/// "dsyr2k 3074 x 4794 at h,0,0, cap 64 MiB, on dgx-h100-8".
std::string describe(const SweepCase& one);

}  // namespace gemmill::command
