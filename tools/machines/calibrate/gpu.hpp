// SPDX-License-Identifier: Apache-2.0
// What a GPU and its link to the host really do, measured.
#pragma once

#include "backend/gpu_driver.hpp"
#include "gemmill/machine.hpp"

namespace gemmill::command {

/// Measures GPU `gpu` of the driver and puts the figures into its records of the machine:
/// bandwidths one way and both ways, latencies, what short runs cost, which threads and slots move
/// pageable memory fastest, rates of products by shape and type, and what every other opcode
/// reaches of them.
void calibrate_gpu(Machine& machine, const GpuDriver& driver, int gpu);

}  // namespace gemmill::command
