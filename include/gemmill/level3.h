/* SPDX-License-Identifier: Apache-2.0
 * The rest of level-3 BLAS for C; gemmill.h includes it. level3.hpp says what each routine does. */
#ifndef GEMMILL_LEVEL3_H
#define GEMMILL_LEVEL3_H

#include <stdint.h>

#include "gemmill/gemmill.h"

#ifdef __cplusplus
extern "C" {
#endif

/* uplo 'U' or 'L', side 'L' or 'R', diag 'N' or 'U'; lower case too. gemmill_dsyrk and so on: x is
 * the letter, T the type of elements, S that of alpha and beta, which for the complex types are
 * pointers to two reals. */
#define GEMMILL_LEVEL3(x, T, S)                                                                   \
    GEMMILL_C_API gemmill_code gemmill_##x##gemmt(                                                \
        gemmill_context* context, char layout, char uplo, char op_a, char op_b, int64_t n,        \
        int64_t k, S alpha, const T* a, int64_t lda, const T* b, int64_t ldb, S beta, T* c,       \
        int64_t ldc);                                                                             \
    GEMMILL_C_API gemmill_code gemmill_##x##symm(                                                 \
        gemmill_context* context, char layout, char side, char uplo, int64_t m, int64_t n,        \
        S alpha, const T* a, int64_t lda, const T* b, int64_t ldb, S beta, T* c, int64_t ldc);    \
    GEMMILL_C_API gemmill_code gemmill_##x##syrk(                                                 \
        gemmill_context* context, char layout, char uplo, char op, int64_t n, int64_t k, S alpha, \
        const T* a, int64_t lda, S beta, T* c, int64_t ldc);                                      \
    GEMMILL_C_API gemmill_code gemmill_##x##syr2k(                                                \
        gemmill_context* context, char layout, char uplo, char op, int64_t n, int64_t k, S alpha, \
        const T* a, int64_t lda, const T* b, int64_t ldb, S beta, T* c, int64_t ldc);             \
    GEMMILL_C_API gemmill_code gemmill_##x##trmm(                                                 \
        gemmill_context* context, char layout, char side, char uplo, char op, char diag,          \
        int64_t m, int64_t n, S alpha, const T* a, int64_t lda, T* b, int64_t ldb);               \
    GEMMILL_C_API gemmill_code gemmill_##x##trsm(                                                 \
        gemmill_context* context, char layout, char side, char uplo, char op, char diag,          \
        int64_t m, int64_t n, S alpha, const T* a, int64_t lda, T* b, int64_t ldb);
GEMMILL_LEVEL3(s, float, float)
GEMMILL_LEVEL3(d, double, double)
GEMMILL_LEVEL3(c, void, const void*)
GEMMILL_LEVEL3(z, void, const void*)
#undef GEMMILL_LEVEL3

/* R is the type of the real alpha of herk and the real beta of herk and her2k. */
#define GEMMILL_LEVEL3_HERMITIAN(x, R)                                                            \
    GEMMILL_C_API gemmill_code gemmill_##x##hemm(                                                 \
        gemmill_context* context, char layout, char side, char uplo, int64_t m, int64_t n,        \
        const void* alpha, const void* a, int64_t lda, const void* b, int64_t ldb,                \
        const void* beta, void* c, int64_t ldc);                                                  \
    GEMMILL_C_API gemmill_code gemmill_##x##herk(                                                 \
        gemmill_context* context, char layout, char uplo, char op, int64_t n, int64_t k, R alpha, \
        const void* a, int64_t lda, R beta, void* c, int64_t ldc);                                \
    GEMMILL_C_API gemmill_code gemmill_##x##her2k(                                                \
        gemmill_context* context, char layout, char uplo, char op, int64_t n, int64_t k,          \
        const void* alpha, const void* a, int64_t lda, const void* b, int64_t ldb, R beta,        \
        void* c, int64_t ldc);
GEMMILL_LEVEL3_HERMITIAN(c, float)
GEMMILL_LEVEL3_HERMITIAN(z, double)
#undef GEMMILL_LEVEL3_HERMITIAN

#ifdef __cplusplus
}
#endif
#endif /* GEMMILL_LEVEL3_H */
