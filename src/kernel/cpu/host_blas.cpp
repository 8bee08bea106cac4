// SPDX-License-Identifier: Apache-2.0
#include "kernel/cpu/host_blas.hpp"

#include <algorithm>
#include <complex>

#include "kernel/cpu/by_float.hpp"
#include "kernel/cpu/host_level3.hpp"
#include "kernel/reference/reference.hpp"

namespace gemmill {
namespace {

/// Element (i, j) of op(X).
template <class T>
const T* at(const T* x, index_t ld, Op op, index_t i, index_t j) {
    return op == Op::NoTrans ? x + i + j * ld : x + j + i * ld;
}

/// One call, or several when a dimension does not fit the library's integers.
template <class T, class I>
void gemm(const GemmArgs& g) {
    // A leading dimension that they cannot hold: no BLAS call can say it.
    if (std::max({g.lda, g.ldb, g.ldc}) > largest_ld<I>) return reference_gemm(g);
    void* const function = host_library().find(Routine::gemm, type_of<T>);
    const auto* a = static_cast<const T*>(g.a);
    const auto* b = static_cast<const T*>(g.b);
    auto* c = static_cast<T*>(g.c);
    const T alpha = from_scalar<T>(g.alpha), beta = from_scalar<T>(g.beta), zero(0), one(1);
    const bool multiplies = g.k > 0 && alpha != zero;
    const index_t depth = multiplies ? g.k : 1;
    const index_t step = largest_size<I>;
    const auto part = [step](index_t whole, index_t first) {
        return static_cast<I>(std::min(step, whole - first));
    };
    for (index_t j = 0; j < g.n; j += step)
        for (index_t i = 0; i < g.m; i += step)
            for (index_t l = 0; l < depth; l += step)
                // Some kernels add alpha times nothing, which is NaN when alpha is.
                cblas::call(function, cblas::col_major, cblas::of(g.op_a), cblas::of(g.op_b),
                            part(g.m, i), part(g.n, j), multiplies ? part(g.k, l) : I{0},
                            cblas::factor(multiplies ? alpha : zero),
                            multiplies ? at(a, g.lda, g.op_a, i, l) : a, static_cast<I>(g.lda),
                            multiplies ? at(b, g.ldb, g.op_b, l, j) : b, static_cast<I>(g.ldb),
                            cblas::factor(l == 0 ? beta : one), c + i + j * g.ldc,
                            static_cast<I>(g.ldc));
}

}  // namespace

void host_gemm(const GemmArgs& args) {
    if (args.m == 0 || args.n == 0) return;
    with_type(args.type, [&]<class T>() {
        if constexpr (is_short(type_of<T>))
            gemm_by_float(args, host_gemm);
        else
            with_width(host_library(), [&]<class I>(I) { gemm<T, I>(args); });
    });
}

void host_add(const AddArgs& args) { reference_add(args); }

/// In blocks, whose rows and columns stay in the caches.
void host_mirror(const MirrorArgs& g) {
    constexpr index_t block = 64;
    const bool square = g.from == g.to;
    const auto at = [&](const void* x, index_t i, index_t j) {
        return static_cast<const std::byte*>(x) + (i + j * g.ld) * bytes_of(g.type);
    };
    for (index_t j = 0; j < g.n; j += block)
        for (index_t i = 0; i < g.m; i += block) {
            if (square && (g.uplo == Uplo::Lower ? i > j : i < j)) continue;
            MirrorArgs part = g;
            part.m = std::min(block, g.m - i), part.n = std::min(block, g.n - j);
            part.from = at(g.from, j, i);
            part.to = const_cast<std::byte*>(at(g.to, i, j));
            reference_mirror(part);
        }
}

Kernels host_kernels() { return {host_gemm, host_add, host_level3, host_mirror}; }

}  // namespace gemmill
