// SPDX-License-Identifier: Apache-2.0
// Batches of one shape by cuBLAS, which has one call for equal distances and one for pointers.
#pragma once

#include <cuda_runtime_api.h>

#include "gemmill/batch.hpp"

namespace gemmill {

/// Whether cuBLAS has a call for it: all matrices at equal distances, or all by pointers that it
/// takes.
bool is_for_cublas(const Batch& batch);

/// By the call that is made for it. A code of ours.
int batch_by_cublas(int device, cudaStream_t stream, const Batch& batch);

/// By pointers in any case: where there are none they are made on the device first, in memory of
/// the stream. For some shapes that call has the better kernels.
int batch_by_pointers(int device, cudaStream_t stream, const Batch& batch);

}  // namespace gemmill
