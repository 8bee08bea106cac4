// SPDX-License-Identifier: Apache-2.0
// Parts of Gemmill that are opened only when they are needed, and may not be there.
#pragma once

#include <string>

#include "backend/gpu_driver.hpp"
#include "gemmill/machine.hpp"

namespace gemmill {

/// Opens a shared object of Gemmill's own: beside this library or program, in the lib folder next
/// to its own, or where the loader looks. nullptr when it cannot be had, and `why` then says why.
void* open_part(const char* name, std::string& why);

/// The GPUs of this node; nullptr when there is no driver, no GPU or no CUDA part, and `why` then
/// says which. The part is opened only where there is a GPU.
const GpuDriver* gpu_driver(std::string& why);

/// The CUDA part, for what it can tell without a GPU: which kernels it has, and their work.
const GpuDriver* gpu_part(std::string& why);

/// The host with the GPUs of this node.
Machine with_gpus(const Machine& host, std::string& why);

}  // namespace gemmill
