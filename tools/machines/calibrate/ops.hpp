// SPDX-License-Identifier: Apache-2.0
// What opcodes other than gemm reach of a product's rate, measured.
#pragma once

#include "gemmill/machine.hpp"
#include "machines/calibrate/gpu_bench.hpp"

namespace gemmill::command {

/// Puts the figures of types s, d, c and z into the chip's records in the place of those that it
/// has. The device's rates of products have been measured.
void put_ops(Chip& chip, GpuBench& bench, const Device& device);

}  // namespace gemmill::command
