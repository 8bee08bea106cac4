// SPDX-License-Identifier: Apache-2.0
// Parts of Gemmill that are opened only when they are needed, and may not be there.
#pragma once

#include <string>

#include "backend/gpu_driver.hpp"
#include "gemmill/machine.hpp"

namespace gemmill {

/// The GPUs of this node; nullptr when there is no CUDA part, no driver or no GPU, and `why` then
/// says which.
const GpuDriver* gpu_driver(std::string& why);

/// The host with the GPUs of this node.
Machine with_gpus(const Machine& host, std::string& why);

}  // namespace gemmill
