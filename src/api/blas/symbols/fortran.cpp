// SPDX-License-Identifier: Apache-2.0
// dgemm_ and its like, and the names by which others call them.
#include "api/blas/symbols/entry.hpp"
#include "api/blas/symbols/table.hpp"
#include "base/routine.hpp"

namespace gemmill::blas {
namespace {

/// A flag from its letter, of either case.
template <class Flag>
Flag flag(const char* letter) {
    return static_cast<Flag>(*letter & ~0x20);
}

/// "DGEMM ", "DSYR2K": as netlib calls it.
std::string fortran_name(const Level3Args& x) {
    std::string name = letter_of(x.type) + std::string(name_of(x.routine));
    for (char& c : name)
        if (c >= 'a') c = static_cast<char>(c - ('a' - 'A'));
    name.resize(6, ' ');
    return name;
}

void run(Level3Args& x) {
    if (const Int position = submit(Layout::ColMajor, x)) [[unlikely]] {
        const std::string name = fortran_name(x);
        xerbla_(name.c_str(), &position, name.size());
    }
}

}  // namespace
}  // namespace gemmill::blas

using namespace gemmill;
using namespace gemmill::blas;

#define FORTRAN_gemm(function, routine, T, A, B)                                                 \
    GEMMILL_BLAS_EXPORT void function(const char* op_a, const char* op_b, const Int* m,          \
                                      const Int* n, const Int* k, const A* alpha, const T* a,    \
                                      const Int* lda, const T* b, const Int* ldb, const B* beta, \
                                      T* c, const Int* ldc) noexcept {                           \
        Level3Args x = start<T>(Routine::routine);                                               \
        set_product(x, flag<Op>(op_a), flag<Op>(op_b), *m, *n, *k);                              \
        set_a(x, *alpha, a, *lda), set_b(x, b, *ldb), set_c(x, *beta, c, *ldc);                  \
        run(x);                                                                                  \
    }
#define FORTRAN_gemmt(function, routine, T, A, B)                                                \
    GEMMILL_BLAS_EXPORT void function(const char* uplo, const char* op_a, const char* op_b,      \
                                      const Int* n, const Int* k, const A* alpha, const T* a,    \
                                      const Int* lda, const T* b, const Int* ldb, const B* beta, \
                                      T* c, const Int* ldc) noexcept {                           \
        Level3Args x = start<T>(Routine::routine);                                               \
        x.uplo = flag<Uplo>(uplo);                                                               \
        set_product(x, flag<Op>(op_a), flag<Op>(op_b), *n, *n, *k);                              \
        set_a(x, *alpha, a, *lda), set_b(x, b, *ldb), set_c(x, *beta, c, *ldc);                  \
        run(x);                                                                                  \
    }
#define FORTRAN_symm(function, routine, T, A, B)                                                \
    GEMMILL_BLAS_EXPORT void function(const char* side, const char* uplo, const Int* m,         \
                                      const Int* n, const A* alpha, const T* a, const Int* lda, \
                                      const T* b, const Int* ldb, const B* beta, T* c,          \
                                      const Int* ldc) noexcept {                                \
        Level3Args x = start<T>(Routine::routine);                                              \
        set_sided(x, flag<Side>(side), flag<Uplo>(uplo), *m, *n);                               \
        set_a(x, *alpha, a, *lda), set_b(x, b, *ldb), set_c(x, *beta, c, *ldc);                 \
        run(x);                                                                                 \
    }
#define FORTRAN_syrk(function, routine, T, A, B)                                                \
    GEMMILL_BLAS_EXPORT void function(const char* uplo, const char* op, const Int* n,           \
                                      const Int* k, const A* alpha, const T* a, const Int* lda, \
                                      const B* beta, T* c, const Int* ldc) noexcept {           \
        Level3Args x = start<T>(Routine::routine);                                              \
        set_update(x, flag<Uplo>(uplo), flag<Op>(op), *n, *k);                                  \
        set_a(x, *alpha, a, *lda), set_c(x, *beta, c, *ldc);                                    \
        run(x);                                                                                 \
    }
#define FORTRAN_syr2k(function, routine, T, A, B)                                               \
    GEMMILL_BLAS_EXPORT void function(const char* uplo, const char* op, const Int* n,           \
                                      const Int* k, const A* alpha, const T* a, const Int* lda, \
                                      const T* b, const Int* ldb, const B* beta, T* c,          \
                                      const Int* ldc) noexcept {                                \
        Level3Args x = start<T>(Routine::routine);                                              \
        set_update(x, flag<Uplo>(uplo), flag<Op>(op), *n, *k);                                  \
        set_a(x, *alpha, a, *lda), set_b(x, b, *ldb), set_c(x, *beta, c, *ldc);                 \
        run(x);                                                                                 \
    }
#define FORTRAN_trmm(function, routine, T, A, B)                                                   \
    GEMMILL_BLAS_EXPORT void function(                                                             \
        const char* side, const char* uplo, const char* op, const char* diag, const Int* m,        \
        const Int* n, const A* alpha, const T* a, const Int* lda, T* b, const Int* ldb) noexcept { \
        Level3Args x = start<T>(Routine::routine);                                                 \
        set_sided(x, flag<Side>(side), flag<Uplo>(uplo), *m, *n);                                  \
        set_triangular(x, flag<Op>(op), flag<Diag>(diag));                                         \
        set_a(x, *alpha, a, *lda), set_c(x, B(0), b, *ldb);                                        \
        run(x);                                                                                    \
    }

#define FORTRAN_ROW(family, letter, routine, T, A, B)      \
    FORTRAN_##family(letter##routine##_, routine, T, A, B) \
        GEMMILL_BLAS_ALIAS(letter##routine, letter##routine##_)
GEMMILL_BLAS_TABLE(FORTRAN_ROW)

#if defined(GEMMILL_BLAS_SUFFIXED)
#define SUFFIXED_ROW(family, letter, routine, T, A, B)            \
    GEMMILL_BLAS_ALIAS(letter##routine##_64_, letter##routine##_) \
    GEMMILL_BLAS_ALIAS(letter##routine##64_, letter##routine##_)
GEMMILL_BLAS_TABLE(SUFFIXED_ROW)
#endif
