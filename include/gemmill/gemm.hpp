// SPDX-License-Identifier: Apache-2.0
// C = alpha op(A) op(B) + beta C.
#pragma once

#include <complex>

#include "gemmill/context.hpp"
#include "gemmill/types.hpp"

namespace gemmill {

/// BLAS gemm with 64-bit sizes: op(A) is m x k, op(B) is k x n, C is m x n.
/// T is float, double, std::complex<float>, std::complex<double>, half or bfloat16; alpha and beta
/// are of type T, and float for half and bfloat16.
///
/// half and bfloat16 are multiplied and added as floats, and an element of C is rounded to 16 bits
/// at the end. A plan may cut k into parts: then the sum is rounded after each part, and again when
/// sums made apart are added. A call that goes straight to the host BLAS rounds once.
///
/// Reads as BLAS does: C is not read when beta is 0, A and B are not read when alpha or k is 0, and
/// nothing outside the matrices is touched. A and B may be null when they are not read, all three
/// when m or n is 0. A, B and C must not overlap unless they are only read.
///
/// Throws Error(bad_argument) naming the first bad argument before anything is written, and
/// Error(failed_step) when a device fails, or Error(no_device) when it is lost; each tile of C is
/// then either as it was or right, but for one whose writing itself failed, which may be in part
/// both. Matrices on GPUs must be ready when the call is made: it knows nothing of the caller's
/// streams.
template <class T>
GEMMILL_API void gemm(Context& context, Layout layout, Op op_a, Op op_b, index_t m, index_t n,
                      index_t k, scalar_t<T> alpha, const T* a, index_t lda, const T* b,
                      index_t ldb, scalar_t<T> beta, T* c, index_t ldc);

/// The same with the default Context.
template <class T>
void gemm(Layout layout, Op op_a, Op op_b, index_t m, index_t n, index_t k, scalar_t<T> alpha,
          const T* a, index_t lda, const T* b, index_t ldb, scalar_t<T> beta, T* c, index_t ldc) {
    gemm<T>(default_context(), layout, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

#define GEMMILL_GEMM_EXTERN(T)                                                                    \
    extern template GEMMILL_API void gemm<T>(Context&, Layout, Op, Op, index_t, index_t, index_t, \
                                             scalar_t<T>, const T*, index_t, const T*, index_t,   \
                                             scalar_t<T>, T*, index_t);
GEMMILL_GEMM_EXTERN(float)
GEMMILL_GEMM_EXTERN(double)
GEMMILL_GEMM_EXTERN(std::complex<float>)
GEMMILL_GEMM_EXTERN(std::complex<double>)
GEMMILL_GEMM_EXTERN(half)
GEMMILL_GEMM_EXTERN(bfloat16)
#undef GEMMILL_GEMM_EXTERN

}  // namespace gemmill
