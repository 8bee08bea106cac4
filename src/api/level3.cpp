// SPDX-License-Identifier: Apache-2.0
#include "gemmill/level3.hpp"

#include "api/call.hpp"

namespace gemmill {
namespace {

template <class T>
Level3Args start(Routine routine) {
    Level3Args call;
    call.routine = routine;
    call.type = type_of<T>;
    return call;
}

/// symm and hemm.
template <class T>
Level3Args sided(Routine routine, Side side, Uplo uplo, index_t m, index_t n) {
    Level3Args call = start<T>(routine);
    call.side = side, call.uplo = uplo;
    call.m = m, call.n = n;
    call.k = side == Side::Left ? m : n;
    return call;
}

/// syrk, herk, syr2k and her2k.
template <class T>
Level3Args update(Routine routine, Uplo uplo, Op op, index_t n, index_t k) {
    Level3Args call = start<T>(routine);
    call.uplo = uplo;
    call.op_a = op == Op::ConjTrans && !is_complex(type_of<T>) ? Op::Trans : op;
    call.m = call.n = n;
    call.k = k;
    return call;
}

/// trmm and trsm.
template <class T>
Level3Args triangular(Routine routine, Side side, Uplo uplo, Op op, Diag diag) {
    Level3Args call = start<T>(routine);
    call.side = side, call.uplo = uplo;
    call.op_a = op, call.diag = diag;
    return call;
}

template <class T, class Alpha, class Beta>
void with_matrices(Level3Args& call, Alpha alpha, const T* a, index_t lda, const T* b, index_t ldb,
                   Beta beta, T* c, index_t ldc) {
    call.alpha = to_scalar(alpha), call.beta = to_scalar(beta);
    call.a = a, call.lda = lda;
    call.b = b, call.ldb = ldb;
    call.c = c, call.ldc = ldc;
}

template <class T>
void with_size(Level3Args& call, index_t m, index_t n, T alpha, const T* a, index_t lda, T* b,
               index_t ldb) {
    call.m = m, call.n = n;
    call.k = call.side == Side::Left ? m : n;
    with_matrices<T>(call, alpha, a, lda, nullptr, 1, T(0), b, ldb);
}

}  // namespace

template <class T>
void gemmt(Context& context, Layout layout, Uplo uplo, Op op_a, Op op_b, index_t n, index_t k,
           T alpha, const T* a, index_t lda, const T* b, index_t ldb, T beta, T* c, index_t ldc) {
    Level3Args call = start<T>(Routine::gemmt);
    call.uplo = uplo;
    call.op_a = op_a, call.op_b = op_b;
    call.m = call.n = n;
    call.k = k;
    with_matrices(call, alpha, a, lda, b, ldb, beta, c, ldc);
    call_level3(context, layout, call);
}

template <class T>
void symm(Context& context, Layout layout, Side side, Uplo uplo, index_t m, index_t n, T alpha,
          const T* a, index_t lda, const T* b, index_t ldb, T beta, T* c, index_t ldc) {
    Level3Args call = sided<T>(Routine::symm, side, uplo, m, n);
    with_matrices(call, alpha, a, lda, b, ldb, beta, c, ldc);
    call_level3(context, layout, call);
}

template <class T>
void hemm(Context& context, Layout layout, Side side, Uplo uplo, index_t m, index_t n, T alpha,
          const T* a, index_t lda, const T* b, index_t ldb, T beta, T* c, index_t ldc) {
    Level3Args call = sided<T>(Routine::hemm, side, uplo, m, n);
    with_matrices(call, alpha, a, lda, b, ldb, beta, c, ldc);
    call_level3(context, layout, call);
}

template <class T>
void syrk(Context& context, Layout layout, Uplo uplo, Op op, index_t n, index_t k, T alpha,
          const T* a, index_t lda, T beta, T* c, index_t ldc) {
    Level3Args call = update<T>(Routine::syrk, uplo, op, n, k);
    with_matrices<T>(call, alpha, a, lda, nullptr, 1, beta, c, ldc);
    call_level3(context, layout, call);
}

template <class T>
void herk(Context& context, Layout layout, Uplo uplo, Op op, index_t n, index_t k, real_t<T> alpha,
          const T* a, index_t lda, real_t<T> beta, T* c, index_t ldc) {
    Level3Args call = update<T>(Routine::herk, uplo, op, n, k);
    with_matrices<T>(call, alpha, a, lda, nullptr, 1, beta, c, ldc);
    call_level3(context, layout, call);
}

template <class T>
void syr2k(Context& context, Layout layout, Uplo uplo, Op op, index_t n, index_t k, T alpha,
           const T* a, index_t lda, const T* b, index_t ldb, T beta, T* c, index_t ldc) {
    Level3Args call = update<T>(Routine::syr2k, uplo, op, n, k);
    with_matrices(call, alpha, a, lda, b, ldb, beta, c, ldc);
    call_level3(context, layout, call);
}

template <class T>
void her2k(Context& context, Layout layout, Uplo uplo, Op op, index_t n, index_t k, T alpha,
           const T* a, index_t lda, const T* b, index_t ldb, real_t<T> beta, T* c, index_t ldc) {
    Level3Args call = update<T>(Routine::her2k, uplo, op, n, k);
    with_matrices(call, alpha, a, lda, b, ldb, beta, c, ldc);
    call_level3(context, layout, call);
}

template <class T>
void trmm(Context& context, Layout layout, Side side, Uplo uplo, Op op, Diag diag, index_t m,
          index_t n, T alpha, const T* a, index_t lda, T* b, index_t ldb) {
    Level3Args call = triangular<T>(Routine::trmm, side, uplo, op, diag);
    with_size(call, m, n, alpha, a, lda, b, ldb);
    call_level3(context, layout, call);
}

template <class T>
void trsm(Context& context, Layout layout, Side side, Uplo uplo, Op op, Diag diag, index_t m,
          index_t n, T alpha, const T* a, index_t lda, T* b, index_t ldb) {
    Level3Args call = triangular<T>(Routine::trsm, side, uplo, op, diag);
    with_size(call, m, n, alpha, a, lda, b, ldb);
    call_level3(context, layout, call);
}

#define GEMMILL_ANY_INSTANCE(T)                                                                    \
    template GEMMILL_API void gemmt<T>(Context&, Layout, Uplo, Op, Op, index_t, index_t, T,        \
                                       const T*, index_t, const T*, index_t, T, T*, index_t);      \
    template GEMMILL_API void symm<T>(Context&, Layout, Side, Uplo, index_t, index_t, T, const T*, \
                                      index_t, const T*, index_t, T, T*, index_t);                 \
    template GEMMILL_API void syrk<T>(Context&, Layout, Uplo, Op, index_t, index_t, T, const T*,   \
                                      index_t, T, T*, index_t);                                    \
    template GEMMILL_API void syr2k<T>(Context&, Layout, Uplo, Op, index_t, index_t, T, const T*,  \
                                       index_t, const T*, index_t, T, T*, index_t);                \
    template GEMMILL_API void trmm<T>(Context&, Layout, Side, Uplo, Op, Diag, index_t, index_t, T, \
                                      const T*, index_t, T*, index_t);                             \
    template GEMMILL_API void trsm<T>(Context&, Layout, Side, Uplo, Op, Diag, index_t, index_t, T, \
                                      const T*, index_t, T*, index_t);
#define GEMMILL_COMPLEX_INSTANCE(T)                                                                \
    template GEMMILL_API void hemm<T>(Context&, Layout, Side, Uplo, index_t, index_t, T, const T*, \
                                      index_t, const T*, index_t, T, T*, index_t);                 \
    template GEMMILL_API void herk<T>(Context&, Layout, Uplo, Op, index_t, index_t, real_t<T>,     \
                                      const T*, index_t, real_t<T>, T*, index_t);                  \
    template GEMMILL_API void her2k<T>(Context&, Layout, Uplo, Op, index_t, index_t, T, const T*,  \
                                       index_t, const T*, index_t, real_t<T>, T*, index_t);
GEMMILL_ANY_INSTANCE(float)
GEMMILL_ANY_INSTANCE(double)
GEMMILL_ANY_INSTANCE(std::complex<float>)
GEMMILL_ANY_INSTANCE(std::complex<double>)
GEMMILL_COMPLEX_INSTANCE(std::complex<float>)
GEMMILL_COMPLEX_INSTANCE(std::complex<double>)
#undef GEMMILL_ANY_INSTANCE
#undef GEMMILL_COMPLEX_INSTANCE

}  // namespace gemmill
