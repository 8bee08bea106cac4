// SPDX-License-Identifier: Apache-2.0
// cblas_dgemm and its like.
#include <type_traits>

#include "api/blas/symbols/entry.hpp"
#include "api/blas/symbols/table.hpp"
#include "base/routine.hpp"

namespace gemmill::blas {
namespace {

// CBLAS enumerations. What is none of them becomes no flag.
constexpr int row_major = 101, col_major = 102;
Op op_of(int x) {
    return x == 111 ? Op::NoTrans : x == 112 ? Op::Trans : x == 113 ? Op::ConjTrans : Op(0);
}
Uplo uplo_of(int x) { return x == 121 ? Uplo::Upper : x == 122 ? Uplo::Lower : Uplo(0); }
Diag diag_of(int x) { return x == 131 ? Diag::NonUnit : x == 132 ? Diag::Unit : Diag(0); }
Side side_of(int x) { return x == 141 ? Side::Left : x == 142 ? Side::Right : Side(0); }

/// alpha or beta as CBLAS has it: reals by value, complex numbers by address.
template <class T>
using Given = std::conditional_t<is_complex(type_of<T>), const void*, T>;
template <class T>
T taken(Given<T> x) {
    if constexpr (is_complex(type_of<T>))
        return *static_cast<const T*>(x);
    else
        return x;
}

/// netlib's CBLAS finds bad flags itself and leaves the rest to the Fortran routine, which sees a
/// row-major call transposed. So positions of sizes and leading dimensions come transposed, and
/// who reports them turns them back when RowMajorStrg says so. `x` is transposed already: what the
/// caller knows as op(A) is its op(B).
int cblas_position(const Level3Args& x, int position) {
    const int op_a = x.routine == Routine::gemm ? 1 : x.routine == Routine::gemmt ? 2 : 0;
    const bool of_ops = op_a > 0 && (position == op_a || position == op_a + 1);
    if (of_ops) position = x.op_b == Op(0) ? op_a : op_a + 1;
    return 1 + position;
}

void complain(const Level3Args& x, bool rows, int position) {
    const std::string name = std::string("cblas_") + letter_of(x.type) + name_of(x.routine);
    __atomic_store_n(&RowMajorStrg, rows ? 1 : 0, __ATOMIC_RELAXED);
    __atomic_store_n(&CBLAS_CallFromC, 1, __ATOMIC_RELAXED);
    cblas_xerbla(position, name.c_str(), "");
    __atomic_store_n(&CBLAS_CallFromC, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&RowMajorStrg, 0, __ATOMIC_RELAXED);
}

void run(int layout, Level3Args& x) {
    if (layout == col_major) {
        if (const int fault = submit(Layout::ColMajor, x)) [[unlikely]]
            complain(x, false, 1 + fault);
    } else if (layout == row_major) {
        if (const int fault = submit(Layout::RowMajor, x)) [[unlikely]]
            complain(x, true, cblas_position(x, fault));
    } else {
        complain(x, false, 1);
    }
}

}  // namespace
}  // namespace gemmill::blas

using namespace gemmill;
using namespace gemmill::blas;

#define CBLAS_gemm(function, routine, T, A, B)                                                 \
    GEMMILL_BLAS_EXPORT void function(int layout, int op_a, int op_b, Int m, Int n, Int k,     \
                                      Given<A> alpha, const void* a, Int lda, const void* b,   \
                                      Int ldb, Given<B> beta, void* c, Int ldc) noexcept {     \
        Level3Args x = start<T>(Routine::routine);                                             \
        set_product(x, op_of(op_a), op_of(op_b), m, n, k);                                     \
        set_a(x, taken<A>(alpha), a, lda), set_b(x, b, ldb), set_c(x, taken<B>(beta), c, ldc); \
        run(layout, x);                                                                        \
    }
#define CBLAS_gemmt(function, routine, T, A, B)                                                \
    GEMMILL_BLAS_EXPORT void function(int layout, int uplo, int op_a, int op_b, Int n, Int k,  \
                                      Given<A> alpha, const void* a, Int lda, const void* b,   \
                                      Int ldb, Given<B> beta, void* c, Int ldc) noexcept {     \
        Level3Args x = start<T>(Routine::routine);                                             \
        x.uplo = uplo_of(uplo);                                                                \
        set_product(x, op_of(op_a), op_of(op_b), n, n, k);                                     \
        set_a(x, taken<A>(alpha), a, lda), set_b(x, b, ldb), set_c(x, taken<B>(beta), c, ldc); \
        run(layout, x);                                                                        \
    }
#define CBLAS_symm(function, routine, T, A, B)                                                 \
    GEMMILL_BLAS_EXPORT void function(int layout, int side, int uplo, Int m, Int n,            \
                                      Given<A> alpha, const void* a, Int lda, const void* b,   \
                                      Int ldb, Given<B> beta, void* c, Int ldc) noexcept {     \
        Level3Args x = start<T>(Routine::routine);                                             \
        set_sided(x, side_of(side), uplo_of(uplo), m, n);                                      \
        set_a(x, taken<A>(alpha), a, lda), set_b(x, b, ldb), set_c(x, taken<B>(beta), c, ldc); \
        run(layout, x);                                                                        \
    }
#define CBLAS_syrk(function, routine, T, A, B)                                                    \
    GEMMILL_BLAS_EXPORT void function(int layout, int uplo, int op, Int n, Int k, Given<A> alpha, \
                                      const void* a, Int lda, Given<B> beta, void* c,             \
                                      Int ldc) noexcept {                                         \
        Level3Args x = start<T>(Routine::routine);                                                \
        set_update(x, uplo_of(uplo), op_of(op), n, k);                                            \
        set_a(x, taken<A>(alpha), a, lda), set_c(x, taken<B>(beta), c, ldc);                      \
        run(layout, x);                                                                           \
    }
#define CBLAS_syr2k(function, routine, T, A, B)                                                   \
    GEMMILL_BLAS_EXPORT void function(int layout, int uplo, int op, Int n, Int k, Given<A> alpha, \
                                      const void* a, Int lda, const void* b, Int ldb,             \
                                      Given<B> beta, void* c, Int ldc) noexcept {                 \
        Level3Args x = start<T>(Routine::routine);                                                \
        set_update(x, uplo_of(uplo), op_of(op), n, k);                                            \
        set_a(x, taken<A>(alpha), a, lda), set_b(x, b, ldb), set_c(x, taken<B>(beta), c, ldc);    \
        run(layout, x);                                                                           \
    }
#define CBLAS_trmm(function, routine, T, A, B)                                                 \
    GEMMILL_BLAS_EXPORT void function(int layout, int side, int uplo, int op, int diag, Int m, \
                                      Int n, Given<A> alpha, const void* a, Int lda, void* b,  \
                                      Int ldb) noexcept {                                      \
        Level3Args x = start<T>(Routine::routine);                                             \
        set_sided(x, side_of(side), uplo_of(uplo), m, n);                                      \
        set_triangular(x, op_of(op), diag_of(diag));                                           \
        set_a(x, taken<A>(alpha), a, lda), set_c(x, B(0), b, ldb);                             \
        run(layout, x);                                                                        \
    }

#define CBLAS_ROW(family, letter, routine, T, A, B) \
    CBLAS_##family(cblas_##letter##routine, routine, T, A, B)
GEMMILL_BLAS_TABLE(CBLAS_ROW)

#if defined(GEMMILL_BLAS_SUFFIXED)
#define SUFFIXED_ROW(family, letter, routine, T, A, B)                        \
    GEMMILL_BLAS_ALIAS(cblas_##letter##routine##_64, cblas_##letter##routine) \
    GEMMILL_BLAS_ALIAS(cblas_##letter##routine##64_, cblas_##letter##routine)
GEMMILL_BLAS_TABLE(SUFFIXED_ROW)
#endif
