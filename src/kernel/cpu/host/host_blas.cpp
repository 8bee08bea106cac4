// SPDX-License-Identifier: Apache-2.0
#include "kernel/cpu/host/host_blas.hpp"

#include <algorithm>
#include <complex>

#include "kernel/cpu/host/by_float.hpp"
#include "kernel/cpu/host/host_call.hpp"
#include "kernel/cpu/host/host_level3.hpp"
#include "kernel/cpu/host/host_thin.hpp"
#include "kernel/reference/reference.hpp"

namespace gemmill {
namespace {

/// Element (i, j) of op(X).
template <class T>
const T* at(const T* x, index_t ld, Op op, index_t i, index_t j) {
    return op == Op::NoTrans ? x + i + j * ld : x + j + i * ld;
}

Level3Args level3_of(const GemmArgs& g) {
    Level3Args x;
    x.routine = Routine::gemm;
    x.type = g.type;
    x.op_a = g.op_a, x.op_b = g.op_b;
    x.m = g.m, x.n = g.n, x.k = g.k;
    x.alpha = g.alpha, x.beta = g.beta;
    x.a = g.a, x.b = g.b, x.c = g.c;
    x.lda = g.lda, x.ldb = g.ldb, x.ldc = g.ldc;
    return x;
}

/// The part of a product from row i, column j and depth l on, as large as one call can be.
template <class T, class I>
Level3Args part_of(const GemmArgs& g, index_t i, index_t j, index_t l) {
    Level3Args x = level3_of(g);
    const auto part = [](index_t whole, index_t first) {
        return std::min(largest_size<I>, whole - first);
    };
    x.m = part(g.m, i), x.n = part(g.n, j), x.k = part(g.k, l);
    x.a = at(static_cast<const T*>(g.a), g.lda, g.op_a, i, l);
    x.b = at(static_cast<const T*>(g.b), g.ldb, g.op_b, l, j);
    x.c = static_cast<T*>(g.c) + i + j * g.ldc;
    if (l > 0) x.beta = {1, 0};
    return x;
}

/// One call, or several when a dimension does not fit the library's integers.
template <class T, class I>
void gemm(const GemmArgs& g, const HostLibrary& library) {
    // A leading dimension that they cannot hold: no BLAS call can say it.
    if (std::max({g.lda, g.ldb, g.ldc}) > largest_ld<I>) return reference_gemm(g);
    const bool multiplies = g.k > 0 && g.alpha != Scalar{};
    constexpr index_t step = largest_size<I>;
    for (index_t j = 0; j < g.n; j += step)
        for (index_t i = 0; i < g.m; i += step)
            for (index_t l = 0; l < (multiplies ? g.k : 1); l += step) {
                Level3Args x = part_of<T, I>(g, i, j, l);
                // Some kernels add alpha times nothing, which is NaN when alpha is.
                if (!multiplies) x.k = 0, x.alpha = {}, x.a = g.a, x.b = g.b;
                call_host<T, I>(x, library);
            }
}

}  // namespace

void host_gemm(const GemmArgs& args, const HostLibrary& library) {
    if (args.m == 0 || args.n == 0) return;
    if (thin_pays(args) && made_thin(args, library)) return;
    with_type(args.type, [&]<class T>() {
        if constexpr (is_short(type_of<T>))
            gemm_by_float(args, host_gemm);
        else
            with_width(library, [&]<class I>(I) { gemm<T, I>(args, library); });
    });
}

void host_gemm(const GemmArgs& args) { host_gemm(args, host_library()); }

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
