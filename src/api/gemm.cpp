// SPDX-License-Identifier: Apache-2.0
// check -> describe -> plan -> run.
#include "gemmill/gemm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "api/state.hpp"
#include "gemmill/error.hpp"
#include "kernel/cpu/host_blas.hpp"

namespace gemmill {
namespace {

template <class T>
struct Call {
    using S = scalar_t<T>;

    Op op_a, op_b;
    index_t m, n, k;
    S alpha;
    const T* a;
    index_t lda;
    const T* b;
    index_t ldb;
    S beta;
    T* c;
    index_t ldc;

    bool multiplies() const { return k > 0 && alpha != S(0); }
};

bool is_op(Op op) { return op == Op::NoTrans || op == Op::Trans || op == Op::ConjTrans; }

/// Texts are made only when they are needed: these checks stand before every small product.
[[noreturn]] void refuse(const char* name, const std::string& is, const std::string& needs) {
    throw Error(Code::bad_argument, fmt::format("gemm: {} is {}", name, is), needs);
}

void check_size(index_t value, const char* name) {
    if (value < 0) refuse(name, std::to_string(value), fmt::format("{} >= 0", name));
}

void check_ld(index_t ld, index_t rows, const char* name) {
    const index_t least = std::max<index_t>(1, rows);
    if (ld < least) refuse(name, std::to_string(ld), fmt::format("{} >= {}", name, least));
}

void check_pointer(const void* pointer, bool used, const char* name) {
    if (pointer == nullptr && used) refuse(name, "null", fmt::format("{} != nullptr", name));
}

void check_op(Op op, const char* name) {
    if (!is_op(op)) refuse(name, "no flag", fmt::format("{}: NoTrans, Trans or ConjTrans", name));
}

/// In netlib's order.
template <class T>
void check(Layout layout, const Call<T>& call) {
    const bool columns = layout == Layout::ColMajor;
    if (!columns && layout != Layout::RowMajor)
        refuse("layout", "no flag", "layout: ColMajor or RowMajor");
    check_op(call.op_a, "op_a");
    check_op(call.op_b, "op_b");
    check_size(call.m, "m");
    check_size(call.n, "n");
    check_size(call.k, "k");
    const bool a_as_is = call.op_a == Op::NoTrans, b_as_is = call.op_b == Op::NoTrans;
    check_ld(call.lda, columns == a_as_is ? call.m : call.k, "lda");
    check_ld(call.ldb, columns == b_as_is ? call.k : call.n, "ldb");
    check_ld(call.ldc, columns ? call.m : call.n, "ldc");
    const bool some = call.m > 0 && call.n > 0;
    check_pointer(call.a, some && call.multiplies(), "a");
    check_pointer(call.b, some && call.multiplies(), "b");
    check_pointer(call.c, some, "c");
}

/// A row-major product is the column-major product of the transposed: C' = op(B)' op(A)'.
template <class T>
Call<T> as_columns(const Call<T>& r) {
    return {r.op_b, r.op_a, r.n, r.m, r.k, r.alpha, r.b, r.ldb, r.a, r.lda, r.beta, r.c, r.ldc};
}

template <class S>
Factor factor_of(S x) {
    return x == S(0) ? Factor::zero : x == S(1) ? Factor::one : Factor::general;
}

template <class T>
Problem describe(const Context& context, const Call<T>& call) {
    Problem p;
    p.type = type_of<T>;
    p.op_a = call.op_a;
    p.op_b = call.op_b;
    p.m = call.m;
    p.n = call.n;
    p.k = call.k;
    p.alpha = factor_of(call.alpha);
    p.beta = factor_of(call.beta);
    p.home = {context.locate(call.a), context.locate(call.b), context.locate(call.c)};
    return p;
}

template <class T>
void run_on_host(const Call<T>& call) {
    host_gemm({type_of<T>, call.op_a, call.op_b, call.m, call.n, call.k, to_scalar(call.alpha),
               call.a, call.lda, call.b, call.ldb, to_scalar(call.beta), call.c, call.ldc});
}

template <class T>
void run(Context& context, const Call<T>& call) {
    if (call.m == 0 || call.n == 0 || (!call.multiplies() && call.beta == scalar_t<T>(1))) return;
    Context::State& state = context.state();
    if (state.direct()) return run_on_host(call);
    const Problem problem = describe(context, call);
    if (state.prefers_host(problem)) return run_on_host(call);
    run_problem(state, problem,
                {{call.a, call.b, call.c},
                 {call.lda, call.ldb, call.ldc},
                 to_scalar(call.alpha),
                 to_scalar(call.beta)});
}

}  // namespace

template <class T>
void gemm(Context& context, Layout layout, Op op_a, Op op_b, index_t m, index_t n, index_t k,
          scalar_t<T> alpha, const T* a, index_t lda, const T* b, index_t ldb, scalar_t<T> beta,
          T* c, index_t ldc) {
    const Call<T> call{op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc};
    check(layout, call);
    run(context, layout == Layout::ColMajor ? call : as_columns(call));
}

#define GEMMILL_GEMM_INSTANCE(T)                                                           \
    template GEMMILL_API void gemm<T>(Context&, Layout, Op, Op, index_t, index_t, index_t, \
                                      scalar_t<T>, const T*, index_t, const T*, index_t,   \
                                      scalar_t<T>, T*, index_t);
GEMMILL_GEMM_INSTANCE(float)
GEMMILL_GEMM_INSTANCE(double)
GEMMILL_GEMM_INSTANCE(std::complex<float>)
GEMMILL_GEMM_INSTANCE(std::complex<double>)
GEMMILL_GEMM_INSTANCE(half)
GEMMILL_GEMM_INSTANCE(bfloat16)
#undef GEMMILL_GEMM_INSTANCE

}  // namespace gemmill
