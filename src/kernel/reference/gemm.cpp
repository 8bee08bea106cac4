// SPDX-License-Identifier: Apache-2.0
#include <complex>
#include <string>

#include "gemmill/error.hpp"
#include "kernel/reference/reference.hpp"

namespace gemmill {
namespace {

template <class T>
T conjugate(T x) {
    if constexpr (is_complex(type_of<T>))
        return std::conj(x);
    else
        return x;
}

/// Element (i, j) of op(X).
template <class T>
T element(const T* x, index_t ld, Op op, index_t i, index_t j) {
    if (op == Op::NoTrans) return x[i + j * ld];
    return op == Op::Trans ? x[j + i * ld] : conjugate(x[j + i * ld]);
}

template <class T>
void gemm(const GemmArgs& g) {
    const auto* a = static_cast<const T*>(g.a);
    const auto* b = static_cast<const T*>(g.b);
    auto* c = static_cast<T*>(g.c);
    const T alpha = from_scalar<T>(g.alpha), beta = from_scalar<T>(g.beta);
    const bool multiply = alpha != T(0) && g.k > 0;
    for (index_t j = 0; j < g.n; ++j)
        for (index_t i = 0; i < g.m; ++i) {
            T& out = c[i + j * g.ldc];
            T sum(0);
            for (index_t l = 0; multiply && l < g.k; ++l)
                sum += element(a, g.lda, g.op_a, i, l) * element(b, g.ldb, g.op_b, l, j);
            const T old = beta == T(0) ? T(0) : beta == T(1) ? out : beta * out;
            out = multiply ? old + alpha * sum : old;
        }
}

template <class T>
void add(const AddArgs& g) {
    const auto* x = static_cast<const T*>(g.x);
    auto* c = static_cast<T*>(g.c);
    const T beta = from_scalar<T>(g.beta);
    for (index_t j = 0; j < g.n; ++j)
        for (index_t i = 0; i < g.m; ++i) c[i + j * g.ldc] += beta * x[i + j * g.ldx];
}

void check_type(Type type) {
    require(type != Type::h && type != Type::b, Code::no_device, "s, d, c or z",
            std::string("the host has no arithmetic for type ") + letter_of(type));
}

}  // namespace

void reference_gemm(const GemmArgs& args) {
    check_type(args.type);
    with_type(args.type, [&]<class T>() { gemm<T>(args); });
}

void reference_add(const AddArgs& args) {
    check_type(args.type);
    with_type(args.type, [&]<class T>() { add<T>(args); });
}

Kernels reference_kernels() { return {reference_gemm, reference_add}; }

}  // namespace gemmill
