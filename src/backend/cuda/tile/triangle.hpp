// SPDX-License-Identifier: Apache-2.0
// What cuBLAS has no call for: work on a triangle of C or A alone.
#pragma once

#include "backend/cuda/cuda.hpp"

namespace gemmill {

/// The triangle of C = beta C; of hermitian updates with a real diagonal. C is not read when beta
/// is 0.
cudaError_t scale_triangle(cudaStream_t stream, const KernelArgs& args);
/// A square of which one triangle is copied, between a device and any memory.
cudaError_t copy_triangle(const GpuStream& stream, const CopyArgs& args);
/// Squares of n rows along the diagonal of C: their triangles = beta C + X, where the squares of X
/// lie one behind the other. C is not read when beta is 0.
cudaError_t add_triangles(cudaStream_t stream, const KernelArgs& args, index_t n, index_t count,
                          const void* x);
/// The triangle of C = X + X' + beta C, where X is n x n without gaps; of a hermitian update X* for
/// X' and a real diagonal. C is not read when beta is 0.
cudaError_t fold_triangle(cudaStream_t stream, const KernelArgs& args, const void* x);
/// gemmt, and trmm of a B that is not C, by plain tiles of shared memory: for small squares.
cudaError_t small_gemmt(cudaStream_t stream, const KernelArgs& args);
cudaError_t small_trmm(cudaStream_t stream, const KernelArgs& args);
/// Squares of n rows along the diagonal of a triangular A, with zeros beyond its triangle and its
/// diagonal as it is meant, into X, where they lie one behind the other.
cudaError_t fill_triangles(cudaStream_t stream, const KernelArgs& args, index_t n, index_t count,
                           void* x);

}  // namespace gemmill
