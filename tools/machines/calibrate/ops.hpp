// SPDX-License-Identifier: Apache-2.0
// What opcodes other than gemm reach of a product's rate, measured.
#pragma once

#include <span>
#include <string_view>

#include "gemmill/machine.hpp"
#include "machines/calibrate/gpu_bench.hpp"

namespace gemmill::command {

/// Puts the figures of types s, d, c and z into the chip's records in the place of those that it
/// has. The device's rates of products have been measured.
void put_ops(Chip& chip, GpuBench& bench, const Device& device);

/// Takes types out of what the chip says of an opcode.
void forget(Chip& chip, std::string_view op, std::span<const Type> types);

}  // namespace gemmill::command
