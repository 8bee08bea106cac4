// SPDX-License-Identifier: Apache-2.0
#include "kernel/cuda/run_kernels.hpp"

namespace gemmill::batch {
alignas(16) unsigned char memory[emulated::shared_bytes];  // extern __shared__ of the kernels
}
