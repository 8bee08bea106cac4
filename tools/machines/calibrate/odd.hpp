// SPDX-License-Identifier: Apache-2.0
// What sizes that are no multiples of a GPU's grain leave of a product's rate, measured.
#pragma once

#include "gemmill/machine.hpp"
#include "machines/calibrate/gpu_bench.hpp"

namespace gemmill::command {

/// Puts the figures of all types and ops into the chip's records in the place of those that it has.
void put_odd(Chip& chip, GpuBench& bench);

}  // namespace gemmill::command
