// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include "kernel/kernel.hpp"

namespace gemmill {

cudaError_t mirror(cudaStream_t stream, const MirrorArgs& args);

}  // namespace gemmill
