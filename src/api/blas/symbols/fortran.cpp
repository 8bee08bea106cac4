// SPDX-License-Identifier: Apache-2.0
// dgemm_ and its like, as the family of names spells them.
#include "api/blas/symbols/entry.hpp"
#include "api/blas/symbols/table.hpp"

namespace gemmill::blas {
namespace {

/// A flag from its letter, of either case.
template <class Flag>
Flag flag(const char* letter) {
    return static_cast<Flag>(*letter & ~0x20);
}

void run(Level3Args& x, const char* name, const void* caller) {
    if (const int position = submit(family, Layout::ColMajor, x)) [[unlikely]]
        if (!tell_xerbla(family, name, position, caller)) say_bad_argument(name, position);
}

}  // namespace
}  // namespace gemmill::blas

using namespace gemmill;
using namespace gemmill::blas;

#define FORTRAN_gemm(function, name, routine, T, A, B)                                           \
    GEMMILL_BLAS_EXPORT void function(const char* op_a, const char* op_b, const Int* m,          \
                                      const Int* n, const Int* k, const A* alpha, const T* a,    \
                                      const Int* lda, const T* b, const Int* ldb, const B* beta, \
                                      T* c, const Int* ldc) {                                    \
        Level3Args x = start<T>(Routine::routine);                                               \
        set_product(x, flag<Op>(op_a), flag<Op>(op_b), *m, *n, *k);                              \
        set_a(x, read<A>(x, alpha), a, *lda), set_b(x, b, *ldb),                                 \
            set_c(x, read<B>(x, beta), c, *ldc);                                                 \
        run(x, name, __builtin_return_address(0));                                               \
    }
#define FORTRAN_gemmt(function, name, routine, T, A, B)                                          \
    GEMMILL_BLAS_EXPORT void function(const char* uplo, const char* op_a, const char* op_b,      \
                                      const Int* n, const Int* k, const A* alpha, const T* a,    \
                                      const Int* lda, const T* b, const Int* ldb, const B* beta, \
                                      T* c, const Int* ldc) {                                    \
        Level3Args x = start<T>(Routine::routine);                                               \
        x.uplo = flag<Uplo>(uplo);                                                               \
        set_product(x, flag<Op>(op_a), flag<Op>(op_b), *n, *n, *k);                              \
        set_a(x, read<A>(x, alpha), a, *lda), set_b(x, b, *ldb),                                 \
            set_c(x, read<B>(x, beta), c, *ldc);                                                 \
        run(x, name, __builtin_return_address(0));                                               \
    }
#define FORTRAN_symm(function, name, routine, T, A, B)                                          \
    GEMMILL_BLAS_EXPORT void function(const char* side, const char* uplo, const Int* m,         \
                                      const Int* n, const A* alpha, const T* a, const Int* lda, \
                                      const T* b, const Int* ldb, const B* beta, T* c,          \
                                      const Int* ldc) {                                         \
        Level3Args x = start<T>(Routine::routine);                                              \
        set_sided(x, flag<Side>(side), flag<Uplo>(uplo), *m, *n);                               \
        set_a(x, read<A>(x, alpha), a, *lda), set_b(x, b, *ldb),                                \
            set_c(x, read<B>(x, beta), c, *ldc);                                                \
        run(x, name, __builtin_return_address(0));                                              \
    }
#define FORTRAN_syrk(function, name, routine, T, A, B)                                          \
    GEMMILL_BLAS_EXPORT void function(const char* uplo, const char* op, const Int* n,           \
                                      const Int* k, const A* alpha, const T* a, const Int* lda, \
                                      const B* beta, T* c, const Int* ldc) {                    \
        Level3Args x = start<T>(Routine::routine);                                              \
        set_update(x, flag<Uplo>(uplo), flag<Op>(op), *n, *k);                                  \
        set_a(x, read<A>(x, alpha), a, *lda), set_c(x, read<B>(x, beta), c, *ldc);              \
        run(x, name, __builtin_return_address(0));                                              \
    }
#define FORTRAN_syr2k(function, name, routine, T, A, B)                                           \
    GEMMILL_BLAS_EXPORT void function(                                                            \
        const char* uplo, const char* op, const Int* n, const Int* k, const A* alpha, const T* a, \
        const Int* lda, const T* b, const Int* ldb, const B* beta, T* c, const Int* ldc) {        \
        Level3Args x = start<T>(Routine::routine);                                                \
        set_update(x, flag<Uplo>(uplo), flag<Op>(op), *n, *k);                                    \
        set_a(x, read<A>(x, alpha), a, *lda), set_b(x, b, *ldb),                                  \
            set_c(x, read<B>(x, beta), c, *ldc);                                                  \
        run(x, name, __builtin_return_address(0));                                                \
    }
#define FORTRAN_trmm(function, name, routine, T, A, B)                                      \
    GEMMILL_BLAS_EXPORT void function(                                                      \
        const char* side, const char* uplo, const char* op, const char* diag, const Int* m, \
        const Int* n, const A* alpha, const T* a, const Int* lda, T* b, const Int* ldb) {   \
        Level3Args x = start<T>(Routine::routine);                                          \
        set_sided(x, flag<Side>(side), flag<Uplo>(uplo), *m, *n);                           \
        set_triangular(x, flag<Op>(op), flag<Diag>(diag));                                  \
        set_a(x, read<A>(x, alpha), a, *lda), set_c(x, B(0), b, *ldb);                      \
        run(x, name, __builtin_return_address(0));                                          \
    }

#define FORTRAN_ROW(family, letter, name, routine, T, A, B)                          \
    FORTRAN_##family(GEMMILL_FORTRAN(letter##name), #letter #name, routine, T, A, B) \
        GEMMILL_FORTRAN_ALIASES(letter##name)
GEMMILL_BLAS_TABLE(FORTRAN_ROW)
