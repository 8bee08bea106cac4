// SPDX-License-Identifier: Apache-2.0
// What cuBLAS has no call for: work on a triangle of C alone.
#pragma once

#include "backend/cuda/cuda.hpp"

namespace gemmill {

/// The triangle of C = beta C; of hermitian updates with a real diagonal. C is not read when beta
/// is 0.
cudaError_t scale_triangle(cudaStream_t stream, const Level3Args& args);
/// A square of which one triangle is copied, between a device and any memory.
cudaError_t copy_triangle(const GpuStream& stream, const CopyArgs& args);
/// gemmt by plain tiles of shared memory: for squares of a few hundred rows.
cudaError_t small_gemmt(cudaStream_t stream, const Level3Args& args);

}  // namespace gemmill
