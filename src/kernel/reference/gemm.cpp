// SPDX-License-Identifier: Apache-2.0
#include "kernel/reference/level3.hpp"
#include "kernel/reference/numbers.hpp"
#include "kernel/reference/reference.hpp"

namespace gemmill {
namespace {

/// Element (i, j) of op(X).
template <class T>
T element(const T* x, index_t ld, Op op, index_t i, index_t j) {
    if (op == Op::NoTrans) return x[i + j * ld];
    return op == Op::Trans ? x[j + i * ld] : conjugate(x[j + i * ld]);
}

template <class T>
void gemm(const GemmArgs& g) {
    using S = scalar_t<T>;
    const auto* a = static_cast<const T*>(g.a);
    const auto* b = static_cast<const T*>(g.b);
    auto* c = static_cast<T*>(g.c);
    const S alpha = from_scalar<S>(g.alpha), beta = from_scalar<S>(g.beta);
    const bool multiply = alpha != S(0) && g.k > 0;
    for (index_t j = 0; j < g.n; ++j)
        for (index_t i = 0; i < g.m; ++i) {
            T& out = c[i + j * g.ldc];
            S sum(0);
            for (index_t l = 0; multiply && l < g.k; ++l)
                sum +=
                    times(S(element(a, g.lda, g.op_a, i, l)), S(element(b, g.ldb, g.op_b, l, j)));
            const S old = scaled(beta, out);
            out = T(multiply ? old + times(alpha, sum) : old);
        }
}

template <class T>
void add(const AddArgs& g) {
    using S = scalar_t<T>;
    const auto* x = static_cast<const T*>(g.x);
    auto* c = static_cast<T*>(g.c);
    const S beta = from_scalar<S>(g.beta);
    for (index_t j = 0; j < g.n; ++j)
        for (index_t i = 0; i < g.m; ++i) {
            T& out = c[i + j * g.ldc];
            out = T(S(out) + scaled(beta, x[i + j * g.ldx]));
        }
}

template <class T>
void mirror(const MirrorArgs& g) {
    const auto* from = static_cast<const T*>(g.from);
    auto* to = static_cast<T*>(g.to);
    const Op op = g.conjugate ? Op::ConjTrans : Op::Trans;
    for (index_t j = 0; j < g.n; ++j)
        for (index_t i = 0; i < g.m; ++i) {
            T& out = to[i + j * g.ld];
            if (g.from != g.to || (g.uplo == Uplo::Lower ? i < j : i > j))
                out = element(from, g.ld, op, i, j);
            else if (i == j && g.conjugate)
                out = real_part(out);
        }
}

}  // namespace

void reference_mirror(const MirrorArgs& args) {
    with_type(args.type, [&]<class T>() { mirror<T>(args); });
}

void reference_gemm(const GemmArgs& args) {
    with_type(args.type, [&]<class T>() { gemm<T>(args); });
}

void reference_add(const AddArgs& args) {
    with_type(args.type, [&]<class T>() { add<T>(args); });
}

Kernels reference_kernels() {
    return {reference_gemm, reference_add, reference_level3, reference_mirror};
}

}  // namespace gemmill
