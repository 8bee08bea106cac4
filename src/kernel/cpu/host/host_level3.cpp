// SPDX-License-Identifier: Apache-2.0
#include "kernel/cpu/host/host_level3.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <memory>
#include <new>
#include <vector>

#include "kernel/cpu/host/host_blas.hpp"
#include "kernel/cpu/host/host_call.hpp"
#include "kernel/cpu/host/host_thin.hpp"
#include "kernel/reference/level3.hpp"
#include "kernel/reference/numbers.hpp"

namespace gemmill {
namespace {

GemmArgs gemm_of(const Level3Args& x) {
    return {x.type, x.op_a, x.op_b, x.m,   x.n,    x.k, x.alpha,
            x.a,    x.lda,  x.b,    x.ldb, x.beta, x.c, x.ldc};
}

bool is_rank_update(Routine r) {
    return r == Routine::syrk || r == Routine::herk || r == Routine::syr2k || r == Routine::her2k;
}

bool has_real_beta(Routine r) { return r == Routine::herk || r == Routine::her2k; }

/// Element (row, col) on from x.
const void* moved(const void* x, Type type, index_t offset) {
    return x != nullptr ? static_cast<const std::byte*>(x) + offset * bytes_of(type) : nullptr;
}
void* moved(void* x, Type type, index_t offset) {
    return static_cast<std::byte*>(x) + offset * bytes_of(type);
}

/// A rank update with k cut into parts: they are added one after the other.
template <class T, class I>
void update_in_parts(Level3Args x, const HostLibrary& library) {
    const index_t whole = x.k;
    const bool columns = x.op_a == Op::NoTrans;
    const auto* const a = x.a;
    const auto* const b = x.b;
    for (index_t l = 0; l < whole; l += largest_size<I>) {
        x.k = std::min(largest_size<I>, whole - l);
        x.a = moved(a, x.type, columns ? l * x.lda : l);
        x.b = moved(b, x.type, columns ? l * x.ldb : l);
        call_host<T, I>(x, library);
        x.beta = {1, 0};
    }
}

/// symm, hemm, trmm, trsm: rows or columns of C that do not know of each other.
template <class T, class I>
void side_in_parts(Level3Args x, const HostLibrary& library) {
    const bool left = x.side == Side::Left;
    index_t& size = left ? x.n : x.m;
    const index_t whole = size;
    const auto* const b = x.b;
    auto* const c = x.c;
    for (index_t i = 0; i < whole; i += largest_size<I>) {
        size = std::min(largest_size<I>, whole - i);
        x.b = moved(b, x.type, left ? i * x.ldb : i);
        x.c = moved(c, x.type, left ? i * x.ldc : i);
        call_host<T, I>(x, library);
    }
}

/// Rows of column j of a triangle within a block of n.
struct Rows {
    index_t first, end;
};
Rows rows_of(Uplo uplo, index_t j, index_t n) {
    return uplo == Uplo::Upper ? Rows{0, j + 1} : Rows{j, n};
}

/// C = beta C in the triangle.
template <class T>
void scale(const Level3Args& x) {
    const T beta = from_scalar<T>(x.beta);
    for (index_t j = 0; j < x.n; ++j) {
        const Rows rows = rows_of(x.uplo, j, x.n);
        for (index_t i = rows.first; i < rows.end; ++i) {
            T& out = static_cast<T*>(x.c)[i + j * x.ldc];
            out = has_real_beta(x.routine) ? times_real(beta, out) : times(beta, out);
        }
    }
}

bool is_nan(Scalar x) { return std::isnan(x.re) || std::isnan(x.im); }

/// Whether one call of the library can say it, and does what is meant.
template <class I>
bool is_plain(const Level3Args& x) {
    if (std::max({x.lda, x.ldb, x.ldc}) > largest_ld<I>) return false;
    if (std::max({x.m, x.n, x.k}) > largest_size<I>) return false;
    if (x.routine == Routine::gemm) return x.k > 0 && x.alpha != Scalar{};
    if (!is_rank_update(x.routine)) return true;
    return (x.k > 0 || x.alpha == Scalar{}) && !is_nan(x.beta);
}

template <class T, class I>
void run(const Level3Args& x, const HostLibrary& library) {
    if (is_plain<I>(x)) return call_host<T, I>(x, library);
    if (x.routine == Routine::gemm) return host_gemm(gemm_of(x), library);
    // A leading dimension that no BLAS call can say.
    if (std::max({x.lda, x.ldb, x.ldc}) > largest_ld<I>) return reference_level3(x);
    if (!is_rank_update(x.routine)) return side_in_parts<T, I>(x, library);
    if (x.k > 0 && !is_nan(x.beta)) return update_in_parts<T, I>(x, library);
    Level3Args rest = x;
    if (x.k == 0) rest.alpha = {};  // netlib's add alpha times nothing, which is NaN when alpha is
    if (is_nan(x.beta)) {
        // OpenBLAS 0.3.21 takes NaN for zero here.
        scale<T>(x);
        rest.beta = {1, 0};
    }
    run<T, I>(rest, library);
}

/// made + beta c; c is not read where beta is 0.
template <class T>
T joined(T made, T beta, const T& c) {
    return beta == T(0) ? made : made + scaled(beta, c);
}

/// C = made + beta C in the triangle of a block on the diagonal; `made` is n x n without gaps.
template <class T>
void merge(const Level3Args& x, index_t n, const T* made, T* c) {
    const T beta = from_scalar<T>(x.beta);
    for (index_t j = 0; j < n; ++j) {
        const Rows rows = rows_of(x.uplo, j, n);
        for (index_t i = rows.first; i < rows.end; ++i) {
            T& out = c[i + j * x.ldc];
            out = joined(made[i + j * n], beta, out);
        }
    }
}

template <class T>
void gemmt(const Level3Args& x, const HostLibrary& library) {
    constexpr index_t edge = 128;
    const auto operand = [&](const void* p, index_t offset) { return moved(p, x.type, offset); };
    const auto most = static_cast<std::size_t>(std::min(x.n, edge));
    const std::unique_ptr<T[]> made(new (std::nothrow) T[most * most]);
    if (made == nullptr) return reference_level3(x);
    const bool a_rows = x.op_a == Op::NoTrans, b_rows = x.op_b == Op::NoTrans;
    for (index_t j = 0; j < x.n; j += edge) {
        const index_t cols = std::min(edge, x.n - j);
        GemmArgs g = gemm_of(x);
        g.n = cols;
        g.b = operand(x.b, b_rows ? j * x.ldb : j);
        const auto rows = [&](index_t i, index_t count) {
            g.m = count;
            g.a = operand(x.a, a_rows ? i : i * x.lda);
            g.c = moved(x.c, x.type, i + j * x.ldc);
        };
        x.uplo == Uplo::Upper ? rows(0, j) : rows(j + cols, x.n - j - cols);
        host_gemm(g, library);
        rows(j, cols);
        auto* const c = static_cast<T*>(g.c);
        g.beta = {0, 0}, g.c = made.get(), g.ldc = cols;
        host_gemm(g, library);
        merge(x, cols, made.get(), c);
    }
}

/// trmm of what lies elsewhere: in a copy of it.
template <class T>
void add_trmm(const Level3Args& x, const HostLibrary& library) {
    std::vector<T> copy(static_cast<std::size_t>(x.m * x.n));
    for (index_t j = 0; j < x.n; ++j)
        std::copy_n(static_cast<const T*>(x.b) + j * x.ldb, x.m, copy.begin() + j * x.m);
    Level3Args product = x;
    product.b = nullptr, product.c = copy.data(), product.ldc = x.m;
    host_level3(product, library);
    const T beta = from_scalar<T>(x.beta);
    for (index_t j = 0; j < x.n; ++j) {
        T* const c = static_cast<T*>(x.c) + j * x.ldc;
        const T* const made = copy.data() + j * x.m;
        for (index_t i = 0; i < x.m; ++i) c[i] = joined(made[i], beta, c[i]);
    }
}

/// gemmt is made of products.
bool has(const HostLibrary& library, const Level3Args& x) {
    const Routine routine = x.routine == Routine::gemmt ? Routine::gemm : x.routine;
    return library.find(routine, x.type) != nullptr;
}

}  // namespace

void host_level3(const Level3Args& args, const HostLibrary& library) {
    if (args.m == 0 || args.n == 0) return;
    if (args.routine == Routine::gemm && thin_pays(args) && made_thin(gemm_of(args), library))
        return;
    with_type(args.type, [&]<class T>() {
        if constexpr (is_short(type_of<T>)) {
            host_gemm(gemm_of(args), library);
        } else {
            if (!has(library, args)) return reference_level3(args);
            if (args.routine == Routine::gemmt) return gemmt<T>(args, library);
            if (args.routine == Routine::trmm && args.b != nullptr)
                return add_trmm<T>(args, library);
            with_width(library, [&]<class I>(I) { run<T, I>(args, library); });
        }
    });
}

void host_level3(const Level3Args& args) { host_level3(args, host_library()); }

}  // namespace gemmill
