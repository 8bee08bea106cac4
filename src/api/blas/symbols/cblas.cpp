// SPDX-License-Identifier: Apache-2.0
// cblas_dgemm and its like.
#include <string_view>
#include <type_traits>

#include "api/blas/symbols/entry.hpp"
#include "api/blas/symbols/table.hpp"

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
T taken(const Level3Args& x, Given<T> value) {
    if constexpr (is_complex(type_of<T>))
        return read<T>(x, value);
    else
        return value;
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

/// The place of an argument in the caller's list, of one in netlib's.
int callers_position(Routine routine, bool rows, int position) {
    const int first_size = routine == Routine::gemmt ? 5 : 4;
    if (!rows || position < first_size) return position;
    return 1 + transposed_position(routine, position - 1);
}

/// netlib's flags are set while its handler runs, and also when that throws.
struct HandlerFlags {
    explicit HandlerFlags(bool rows) { set(rows ? 1 : 0, 1); }
    ~HandlerFlags() { set(0, 0); }
    HandlerFlags(const HandlerFlags&) = delete;
    HandlerFlags& operator=(const HandlerFlags&) = delete;

  private:
    static void set(int rows, int from_c) {
        __atomic_store_n(&RowMajorStrg, rows, __ATOMIC_RELAXED);
        __atomic_store_n(&CBLAS_CallFromC, from_c, __ATOMIC_RELAXED);
    }
};

/// A call and who made it.
struct Entry {
    const char* name;  ///< "cblas_dgemm"
    const void* caller;
};

bool tell_c(const Entry& entry, bool rows, int position) {
    const HandlerFlags flags(rows);
    return tell_cblas_xerbla(family, entry.name, position, entry.caller);
}

/// To the handler of CBLAS, or that of Fortran, whose list has no layout before it.
void complain(const Level3Args& x, const Entry& entry, bool rows, int position) {
    if (tell_c(entry, rows, position)) return;
    const int callers = callers_position(x.routine, rows, position);
    constexpr std::size_t before = std::string_view("cblas_").size();
    if (!tell_xerbla(family, entry.name + before, callers - 1, entry.caller))
        say_bad_argument(entry.name, callers);
}

void run(int layout, Level3Args& x, const Entry& entry) {
    if (layout == col_major) {
        if (const int fault = submit(family, Layout::ColMajor, x)) [[unlikely]]
            complain(x, entry, false, 1 + fault);
    } else if (layout == row_major) {
        if (const int fault = submit(family, Layout::RowMajor, x)) [[unlikely]]
            complain(x, entry, true, cblas_position(x, fault));
    } else {
        complain(x, entry, false, 1);
    }
}

}  // namespace
}  // namespace gemmill::blas

using namespace gemmill;
using namespace gemmill::blas;

#define CBLAS_gemm(function, name, routine, T, A, B)                                         \
    GEMMILL_BLAS_EXPORT void function(int layout, int op_a, int op_b, Int m, Int n, Int k,   \
                                      Given<A> alpha, const void* a, Int lda, const void* b, \
                                      Int ldb, Given<B> beta, void* c, Int ldc) {            \
        Level3Args x = start<T>(Routine::routine);                                           \
        set_product(x, op_of(op_a), op_of(op_b), m, n, k);                                   \
        set_a(x, taken<A>(x, alpha), a, lda), set_b(x, b, ldb),                              \
            set_c(x, taken<B>(x, beta), c, ldc);                                             \
        run(layout, x, {name, __builtin_return_address(0)});                                 \
    }
#define CBLAS_gemmt(function, name, routine, T, A, B)                                         \
    GEMMILL_BLAS_EXPORT void function(int layout, int uplo, int op_a, int op_b, Int n, Int k, \
                                      Given<A> alpha, const void* a, Int lda, const void* b,  \
                                      Int ldb, Given<B> beta, void* c, Int ldc) {             \
        Level3Args x = start<T>(Routine::routine);                                            \
        x.uplo = uplo_of(uplo);                                                               \
        set_product(x, op_of(op_a), op_of(op_b), n, n, k);                                    \
        set_a(x, taken<A>(x, alpha), a, lda), set_b(x, b, ldb),                               \
            set_c(x, taken<B>(x, beta), c, ldc);                                              \
        run(layout, x, {name, __builtin_return_address(0)});                                  \
    }
#define CBLAS_symm(function, name, routine, T, A, B)                                         \
    GEMMILL_BLAS_EXPORT void function(int layout, int side, int uplo, Int m, Int n,          \
                                      Given<A> alpha, const void* a, Int lda, const void* b, \
                                      Int ldb, Given<B> beta, void* c, Int ldc) {            \
        Level3Args x = start<T>(Routine::routine);                                           \
        set_sided(x, side_of(side), uplo_of(uplo), m, n);                                    \
        set_a(x, taken<A>(x, alpha), a, lda), set_b(x, b, ldb),                              \
            set_c(x, taken<B>(x, beta), c, ldc);                                             \
        run(layout, x, {name, __builtin_return_address(0)});                                 \
    }
#define CBLAS_syrk(function, name, routine, T, A, B)                                              \
    GEMMILL_BLAS_EXPORT void function(int layout, int uplo, int op, Int n, Int k, Given<A> alpha, \
                                      const void* a, Int lda, Given<B> beta, void* c, Int ldc) {  \
        Level3Args x = start<T>(Routine::routine);                                                \
        set_update(x, uplo_of(uplo), op_of(op), n, k);                                            \
        set_a(x, taken<A>(x, alpha), a, lda), set_c(x, taken<B>(x, beta), c, ldc);                \
        run(layout, x, {name, __builtin_return_address(0)});                                      \
    }
#define CBLAS_syr2k(function, name, routine, T, A, B)                                             \
    GEMMILL_BLAS_EXPORT void function(int layout, int uplo, int op, Int n, Int k, Given<A> alpha, \
                                      const void* a, Int lda, const void* b, Int ldb,             \
                                      Given<B> beta, void* c, Int ldc) {                          \
        Level3Args x = start<T>(Routine::routine);                                                \
        set_update(x, uplo_of(uplo), op_of(op), n, k);                                            \
        set_a(x, taken<A>(x, alpha), a, lda), set_b(x, b, ldb),                                   \
            set_c(x, taken<B>(x, beta), c, ldc);                                                  \
        run(layout, x, {name, __builtin_return_address(0)});                                      \
    }
#define CBLAS_trmm(function, name, routine, T, A, B)                                           \
    GEMMILL_BLAS_EXPORT void function(int layout, int side, int uplo, int op, int diag, Int m, \
                                      Int n, Given<A> alpha, const void* a, Int lda, void* b,  \
                                      Int ldb) {                                               \
        Level3Args x = start<T>(Routine::routine);                                             \
        set_sided(x, side_of(side), uplo_of(uplo), m, n);                                      \
        set_triangular(x, op_of(op), diag_of(diag));                                           \
        set_a(x, taken<A>(x, alpha), a, lda), set_c(x, B(0), b, ldb);                          \
        run(layout, x, {name, __builtin_return_address(0)});                                   \
    }

#define CBLAS_ROW(family, letter, name, routine, T, A, B)                                 \
    CBLAS_##family(GEMMILL_CBLAS(letter##name), "cblas_" #letter #name, routine, T, A, B) \
        GEMMILL_CBLAS_ALIASES(letter##name)
GEMMILL_BLAS_TABLE(CBLAS_ROW)
