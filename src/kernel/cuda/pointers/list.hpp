// SPDX-License-Identifier: Apache-2.0
// A strided batch as one by pointers.
#pragma once

#include <cuda_runtime_api.h>

#include "gemmill/batch.hpp"

namespace gemmill::batch {

/// Pointers to all matrices of a strided batch, in memory of the stream, which is to be given back
/// to it; `listed` becomes the batch by pointers.
cudaError_t list_pointers(const Batch& batch, void** memory, Batch& listed, cudaStream_t stream);

}  // namespace gemmill::batch
