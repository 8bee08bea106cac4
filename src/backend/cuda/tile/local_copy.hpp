// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include "backend/perform.hpp"

namespace gemmill {

/// A block to another place of the same GPU, without a triangle, and zeros below and beside it as
/// the border says: at the speed of memory, of which copy engines reach a fraction.
cudaError_t local_copy(cudaStream_t stream, const CopyArgs& args, const BorderArgs& border);

}  // namespace gemmill
