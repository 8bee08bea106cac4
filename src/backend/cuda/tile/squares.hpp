// SPDX-License-Identifier: Apache-2.0
// Routines on squares at the diagonal that plain products, or several calls, do faster than one
// call of cuBLAS.
#pragma once

#include "backend/cuda/cuda.hpp"

namespace gemmill {

/// One call of cuBLAS.
int cublas_level3(GpuBlas* blas, const KernelArgs& args);

int square_gemmt(GpuBlas* blas, const KernelArgs& args);
/// syrk and herk; what is larger is halved.
int square_rank_1(GpuBlas* blas, KernelArgs args, index_t large = 1 << 13);
/// syr2k and her2k.
int square_rank_2(GpuBlas* blas, KernelArgs args);
int square_trmm(GpuBlas* blas, const KernelArgs& args);
int square_trsm(GpuBlas* blas, const KernelArgs& args);

}  // namespace gemmill
