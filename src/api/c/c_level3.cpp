// SPDX-License-Identifier: Apache-2.0
// The C interface of level 3 but gemm.
#include <complex>

#include "api/c/c.hpp"
#include "gemmill/level3.hpp"

using namespace gemmill;
using namespace gemmill::c;

extern "C" {

#define GEMMILL_LEVEL3(x, T, E, S)                                                                 \
    gemmill_code gemmill_##x##gemmt(gemmill_context* context, char layout, char uplo, char op_a,   \
                                    char op_b, int64_t n, int64_t k, S alpha, const E* a,          \
                                    int64_t lda, const E* b, int64_t ldb, S beta, E* c,            \
                                    int64_t ldc) {                                                 \
        return guarded([&] {                                                                       \
            gemmt<T>(context_of(context), flag<Layout>(layout), flag<Uplo>(uplo), flag<Op>(op_a),  \
                     flag<Op>(op_b), n, k, read<T>(alpha, "alpha"), static_cast<const T*>(a), lda, \
                     static_cast<const T*>(b), ldb, read<T>(beta, "beta"), static_cast<T*>(c),     \
                     ldc);                                                                         \
        });                                                                                        \
    }                                                                                              \
    gemmill_code gemmill_##x##symm(gemmill_context* context, char layout, char side, char uplo,    \
                                   int64_t m, int64_t n, S alpha, const E* a, int64_t lda,         \
                                   const E* b, int64_t ldb, S beta, E* c, int64_t ldc) {           \
        return guarded([&] {                                                                       \
            symm<T>(context_of(context), flag<Layout>(layout), flag<Side>(side), flag<Uplo>(uplo), \
                    m, n, read<T>(alpha, "alpha"), static_cast<const T*>(a), lda,                  \
                    static_cast<const T*>(b), ldb, read<T>(beta, "beta"), static_cast<T*>(c),      \
                    ldc);                                                                          \
        });                                                                                        \
    }                                                                                              \
    gemmill_code gemmill_##x##syrk(gemmill_context* context, char layout, char uplo, char op,      \
                                   int64_t n, int64_t k, S alpha, const E* a, int64_t lda, S beta, \
                                   E* c, int64_t ldc) {                                            \
        return guarded([&] {                                                                       \
            syrk<T>(context_of(context), flag<Layout>(layout), flag<Uplo>(uplo), flag<Op>(op), n,  \
                    k, read<T>(alpha, "alpha"), static_cast<const T*>(a), lda,                     \
                    read<T>(beta, "beta"), static_cast<T*>(c), ldc);                               \
        });                                                                                        \
    }                                                                                              \
    gemmill_code gemmill_##x##syr2k(gemmill_context* context, char layout, char uplo, char op,     \
                                    int64_t n, int64_t k, S alpha, const E* a, int64_t lda,        \
                                    const E* b, int64_t ldb, S beta, E* c, int64_t ldc) {          \
        return guarded([&] {                                                                       \
            syr2k<T>(context_of(context), flag<Layout>(layout), flag<Uplo>(uplo), flag<Op>(op), n, \
                     k, read<T>(alpha, "alpha"), static_cast<const T*>(a), lda,                    \
                     static_cast<const T*>(b), ldb, read<T>(beta, "beta"), static_cast<T*>(c),     \
                     ldc);                                                                         \
        });                                                                                        \
    }                                                                                              \
    gemmill_code gemmill_##x##trmm(gemmill_context* context, char layout, char side, char uplo,    \
                                   char op, char diag, int64_t m, int64_t n, S alpha, const E* a,  \
                                   int64_t lda, E* b, int64_t ldb) {                               \
        return guarded([&] {                                                                       \
            trmm<T>(context_of(context), flag<Layout>(layout), flag<Side>(side), flag<Uplo>(uplo), \
                    flag<Op>(op), flag<Diag>(diag), m, n, read<T>(alpha, "alpha"),                 \
                    static_cast<const T*>(a), lda, static_cast<T*>(b), ldb);                       \
        });                                                                                        \
    }                                                                                              \
    gemmill_code gemmill_##x##trsm(gemmill_context* context, char layout, char side, char uplo,    \
                                   char op, char diag, int64_t m, int64_t n, S alpha, const E* a,  \
                                   int64_t lda, E* b, int64_t ldb) {                               \
        return guarded([&] {                                                                       \
            trsm<T>(context_of(context), flag<Layout>(layout), flag<Side>(side), flag<Uplo>(uplo), \
                    flag<Op>(op), flag<Diag>(diag), m, n, read<T>(alpha, "alpha"),                 \
                    static_cast<const T*>(a), lda, static_cast<T*>(b), ldb);                       \
        });                                                                                        \
    }
GEMMILL_LEVEL3(s, float, float, float)
GEMMILL_LEVEL3(d, double, double, double)
GEMMILL_LEVEL3(c, std::complex<float>, void, const void*)
GEMMILL_LEVEL3(z, std::complex<double>, void, const void*)
#undef GEMMILL_LEVEL3

#define GEMMILL_LEVEL3_HERMITIAN(x, T, R)                                                          \
    gemmill_code gemmill_##x##hemm(gemmill_context* context, char layout, char side, char uplo,    \
                                   int64_t m, int64_t n, const void* alpha, const void* a,         \
                                   int64_t lda, const void* b, int64_t ldb, const void* beta,      \
                                   void* c, int64_t ldc) {                                         \
        return guarded([&] {                                                                       \
            hemm<T>(context_of(context), flag<Layout>(layout), flag<Side>(side), flag<Uplo>(uplo), \
                    m, n, read<T>(alpha, "alpha"), static_cast<const T*>(a), lda,                  \
                    static_cast<const T*>(b), ldb, read<T>(beta, "beta"), static_cast<T*>(c),      \
                    ldc);                                                                          \
        });                                                                                        \
    }                                                                                              \
    gemmill_code gemmill_##x##herk(gemmill_context* context, char layout, char uplo, char op,      \
                                   int64_t n, int64_t k, R alpha, const void* a, int64_t lda,      \
                                   R beta, void* c, int64_t ldc) {                                 \
        return guarded([&] {                                                                       \
            herk<T>(context_of(context), flag<Layout>(layout), flag<Uplo>(uplo), flag<Op>(op), n,  \
                    k, alpha, static_cast<const T*>(a), lda, beta, static_cast<T*>(c), ldc);       \
        });                                                                                        \
    }                                                                                              \
    gemmill_code gemmill_##x##her2k(gemmill_context* context, char layout, char uplo, char op,     \
                                    int64_t n, int64_t k, const void* alpha, const void* a,        \
                                    int64_t lda, const void* b, int64_t ldb, R beta, void* c,      \
                                    int64_t ldc) {                                                 \
        return guarded([&] {                                                                       \
            her2k<T>(context_of(context), flag<Layout>(layout), flag<Uplo>(uplo), flag<Op>(op), n, \
                     k, read<T>(alpha, "alpha"), static_cast<const T*>(a), lda,                    \
                     static_cast<const T*>(b), ldb, beta, static_cast<T*>(c), ldc);                \
        });                                                                                        \
    }
GEMMILL_LEVEL3_HERMITIAN(c, std::complex<float>, float)
GEMMILL_LEVEL3_HERMITIAN(z, std::complex<double>, double)
#undef GEMMILL_LEVEL3_HERMITIAN

}  // extern "C"
