// SPDX-License-Identifier: Apache-2.0
// The rest of level-3 BLAS. Everything that gemm.hpp says of reading, of errors and of matrices on
// GPUs holds here too, and this:
//
// - Of a triangular, symmetric or Hermitian matrix only the triangle `uplo` is read or written, and
//   no diagonal when it is `Unit`. Imaginary parts on the diagonal of a Hermitian matrix are not
//   read, and are zero after it was written.
// - T is float, double, std::complex<float> or std::complex<double>; hemm, herk and her2k are for
//   the complex types only.
// - trmm and trsm overwrite B. When a device fails in the middle, B may be partly overwritten and
//   the call cannot be made again from it; docs/blas.md says what is left.
#pragma once

#include <complex>

#include "gemmill/context.hpp"
#include "gemmill/types.hpp"

namespace gemmill {

/// float of std::complex<float>, double of std::complex<double>.
template <class T>
using real_t = decltype(std::real(T()));

/// C = alpha op(A) op(B) + beta C with only one triangle of C, which is n x n; op(A) is n x k.
template <class T>
GEMMILL_API void gemmt(Context& context, Layout layout, Uplo uplo, Op op_a, Op op_b, index_t n,
                       index_t k, T alpha, const T* a, index_t lda, const T* b, index_t ldb, T beta,
                       T* c, index_t ldc);

/// C = alpha A B + beta C (Left) or alpha B A + beta C (Right), A symmetric; B and C are m x n.
template <class T>
GEMMILL_API void symm(Context& context, Layout layout, Side side, Uplo uplo, index_t m, index_t n,
                      T alpha, const T* a, index_t lda, const T* b, index_t ldb, T beta, T* c,
                      index_t ldc);

/// The same, A Hermitian.
template <class T>
GEMMILL_API void hemm(Context& context, Layout layout, Side side, Uplo uplo, index_t m, index_t n,
                      T alpha, const T* a, index_t lda, const T* b, index_t ldb, T beta, T* c,
                      index_t ldc);

/// C = alpha A A' + beta C (NoTrans) or alpha A' A + beta C (Trans), C symmetric, n x n; op(A) is
/// n x k. ConjTrans is Trans for real types and refused for complex ones.
template <class T>
GEMMILL_API void syrk(Context& context, Layout layout, Uplo uplo, Op op, index_t n, index_t k,
                      T alpha, const T* a, index_t lda, T beta, T* c, index_t ldc);

/// The same with A* for A', C Hermitian, op NoTrans or ConjTrans.
template <class T>
GEMMILL_API void herk(Context& context, Layout layout, Uplo uplo, Op op, index_t n, index_t k,
                      real_t<T> alpha, const T* a, index_t lda, real_t<T> beta, T* c, index_t ldc);

/// C = alpha A B' + alpha B A' + beta C (NoTrans) or alpha A' B + alpha B' A + beta C (Trans), C
/// symmetric, n x n; op(A) and op(B) are n x k. op as of syrk.
template <class T>
GEMMILL_API void syr2k(Context& context, Layout layout, Uplo uplo, Op op, index_t n, index_t k,
                       T alpha, const T* a, index_t lda, const T* b, index_t ldb, T beta, T* c,
                       index_t ldc);

/// C = alpha A B* + conj(alpha) B A* + beta C (NoTrans) or alpha A* B + conj(alpha) B* A + beta C
/// (ConjTrans), C Hermitian.
template <class T>
GEMMILL_API void her2k(Context& context, Layout layout, Uplo uplo, Op op, index_t n, index_t k,
                       T alpha, const T* a, index_t lda, const T* b, index_t ldb, real_t<T> beta,
                       T* c, index_t ldc);

/// B = alpha op(A) B (Left) or alpha B op(A) (Right), A triangular; B is m x n.
template <class T>
GEMMILL_API void trmm(Context& context, Layout layout, Side side, Uplo uplo, Op op, Diag diag,
                      index_t m, index_t n, T alpha, const T* a, index_t lda, T* b, index_t ldb);

/// X of op(A) X = alpha B (Left) or X op(A) = alpha B (Right), which takes the place of B. A
/// singular A is not found out: the result is then not finite.
template <class T>
GEMMILL_API void trsm(Context& context, Layout layout, Side side, Uplo uplo, Op op, Diag diag,
                      index_t m, index_t n, T alpha, const T* a, index_t lda, T* b, index_t ldb);

/// The same with the default Context.
template <class T>
void gemmt(Layout layout, Uplo uplo, Op op_a, Op op_b, index_t n, index_t k, T alpha, const T* a,
           index_t lda, const T* b, index_t ldb, T beta, T* c, index_t ldc) {
    gemmt<T>(default_context(), layout, uplo, op_a, op_b, n, k, alpha, a, lda, b, ldb, beta, c,
             ldc);
}
template <class T>
void symm(Layout layout, Side side, Uplo uplo, index_t m, index_t n, T alpha, const T* a,
          index_t lda, const T* b, index_t ldb, T beta, T* c, index_t ldc) {
    symm<T>(default_context(), layout, side, uplo, m, n, alpha, a, lda, b, ldb, beta, c, ldc);
}
template <class T>
void hemm(Layout layout, Side side, Uplo uplo, index_t m, index_t n, T alpha, const T* a,
          index_t lda, const T* b, index_t ldb, T beta, T* c, index_t ldc) {
    hemm<T>(default_context(), layout, side, uplo, m, n, alpha, a, lda, b, ldb, beta, c, ldc);
}
template <class T>
void syrk(Layout layout, Uplo uplo, Op op, index_t n, index_t k, T alpha, const T* a, index_t lda,
          T beta, T* c, index_t ldc) {
    syrk<T>(default_context(), layout, uplo, op, n, k, alpha, a, lda, beta, c, ldc);
}
template <class T>
void herk(Layout layout, Uplo uplo, Op op, index_t n, index_t k, real_t<T> alpha, const T* a,
          index_t lda, real_t<T> beta, T* c, index_t ldc) {
    herk<T>(default_context(), layout, uplo, op, n, k, alpha, a, lda, beta, c, ldc);
}
template <class T>
void syr2k(Layout layout, Uplo uplo, Op op, index_t n, index_t k, T alpha, const T* a, index_t lda,
           const T* b, index_t ldb, T beta, T* c, index_t ldc) {
    syr2k<T>(default_context(), layout, uplo, op, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
template <class T>
void her2k(Layout layout, Uplo uplo, Op op, index_t n, index_t k, T alpha, const T* a, index_t lda,
           const T* b, index_t ldb, real_t<T> beta, T* c, index_t ldc) {
    her2k<T>(default_context(), layout, uplo, op, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
template <class T>
void trmm(Layout layout, Side side, Uplo uplo, Op op, Diag diag, index_t m, index_t n, T alpha,
          const T* a, index_t lda, T* b, index_t ldb) {
    trmm<T>(default_context(), layout, side, uplo, op, diag, m, n, alpha, a, lda, b, ldb);
}
template <class T>
void trsm(Layout layout, Side side, Uplo uplo, Op op, Diag diag, index_t m, index_t n, T alpha,
          const T* a, index_t lda, T* b, index_t ldb) {
    trsm<T>(default_context(), layout, side, uplo, op, diag, m, n, alpha, a, lda, b, ldb);
}

}  // namespace gemmill
