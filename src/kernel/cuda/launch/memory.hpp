// SPDX-License-Identifier: Apache-2.0
// Memory that kernels for batches need for the time of a call.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

namespace gemmill::batch {

/// On the current device, from a pool that keeps it for the next batch; cudaFreeAsync gives it back
/// to the stream.
cudaError_t allocate(void** memory, std::size_t bytes, cudaStream_t stream);

}  // namespace gemmill::batch
