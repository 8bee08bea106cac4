// SPDX-License-Identifier: Apache-2.0
#include "kernel/cpu/small/small.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <complex>

#include "kernel/cpu/convert.hpp"
#include "kernel/cpu/small/flags.hpp"
#include "kernel/cpu/small/pack.hpp"
#include "kernel/reference/numbers.hpp"

namespace gemmill {
namespace {

template <class R, bool complex>
auto kernel_of(const SmallKernels& k) {
    if constexpr (std::is_same_v<R, float>)
        return complex ? k.c : k.s;
    else
        return complex ? k.z : k.d;
}

/// A block of A this large stays in the second cache while all of B goes by.
constexpr index_t block_m = 96, block_k = 256;
/// Columns of a C that is made the other way round first.
constexpr index_t block_n = 256;
/// Matrices of more bytes lie in too many pages: A is packed, and a B that is transposed.
constexpr index_t large_a = index_t{384} << 10, large_b = index_t{256} << 10;

template <class T>
void scale(const GemmArgs& g) {
    using S = scalar_t<T>;
    const S beta = from_scalar<S>(g.beta);
    if (beta == S(1)) return;
    for (index_t j = 0; j < g.n; ++j) {
        T* c = static_cast<T*>(g.c) + j * g.ldc;
        for (index_t i = 0; i < g.m; ++i) c[i] = T(scaled(beta, c[i]));
    }
}

template <class T>
void multiply(const GemmArgs& g, const SmallKernels& kernels) {
    using R = typename RealOf<T>::type;
    constexpr bool complex = is_complex(type_of<T>);
    constexpr index_t parts = complex ? 2 : 1;
    const auto run = kernel_of<R, complex>(kernels);
    const bool a_as_is = g.op_a == Op::NoTrans, b_as_is = g.op_b == Op::NoTrans;
    SmallTile<R> t{};
    t.n = g.n;
    t.step_k = parts * (b_as_is ? 1 : g.ldb);
    t.step_n = parts * (b_as_is ? g.ldb : 1);
    t.conj_b = g.op_b == Op::ConjTrans;
    t.ld_c = parts * g.ldc;
    t.alpha[0] = static_cast<R>(g.alpha.re), t.alpha[1] = static_cast<R>(g.alpha.im);
    t.beta[0] = static_cast<R>(g.beta.re), t.beta[1] = static_cast<R>(g.beta.im);
    t.reads_c = g.beta != Scalar{};
    const bool packs_a = !a_as_is || g.k * g.lda * bytes_of(type_of<T>) > large_a;
    const bool packs_b = !b_as_is && g.k * g.ldb * bytes_of(type_of<T>) > large_b;
    for (index_t l = 0; l < g.k; l += block_k) {
        t.k = std::min(block_k, g.k - l);
        t.b = static_cast<const R*>(g.b) + l * parts * (b_as_is ? 1 : g.ldb);
        if (packs_b) {
            thread_local PackRoom<T> room;
            T* packed = room.get(t.k * g.n);
            pack_turned(kernels, static_cast<const T*>(g.b) + l * g.ldb, g.ldb, t.k, g.n, false,
                        packed);
            t.b = reinterpret_cast<const R*>(packed);
            t.step_k = parts;
            t.step_n = parts * t.k;
        }
        for (index_t i = 0; i < g.m; i += block_m) {
            t.m = std::min(block_m, g.m - i);
            t.c = static_cast<R*>(g.c) + parts * i;
            const T* a = static_cast<const T*>(g.a) + (a_as_is ? i + l * g.lda : l + i * g.lda);
            if (packs_a) {
                thread_local PackRoom<T> room;
                T* packed = room.get(t.m * t.k);
                if (a_as_is)
                    pack_copied(a, g.lda, t.m, t.k, packed);
                else
                    pack_turned(kernels, a, g.lda, t.m, t.k, g.op_a == Op::ConjTrans, packed);
                a = packed;
            }
            t.a = reinterpret_cast<const R*>(a);
            t.ld_a = parts * (packs_a ? t.m : g.lda);
            run(t);
        }
        t.beta[0] = 1, t.beta[1] = 0;
        t.reads_c = true;
    }
}

template <class T>
index_t vectors_of(const SmallKernels& kernels, index_t length) {
    return (length * bytes_of(type_of<T>) + kernels.bytes - 1) / kernels.bytes;
}

// Ways are compared by their steps: products of a vector, which take about as long as to turn as
// much of A as is turned at once, or to write an element of C by itself (0.35 ns on an EPYC of 2.6
// GHz, where three of 56 shapes went to a slower way).

template <class T>
index_t turning_steps(const GemmArgs& g, const SmallKernels& kernels) {
    const index_t at_once =
        std::is_same_v<T, double> ? kernels.turned_at_once : Transposer<T>::edge;
    return g.m * g.k / at_once;
}

/// Whether vectors along the rows of C are fuller than those along its columns, by enough to pay
/// for a C that lies the other way round. B must lie along them: to turn it would take as long.
template <class T>
bool is_better_turned(const GemmArgs& g, const SmallKernels& kernels) {
    if (g.op_b != Op::Trans || g.op_a == Op::ConjTrans) return false;
    const index_t packed = g.op_a == Op::NoTrans ? 0 : turning_steps<T>(g, kernels);
    const index_t along_rows = vectors_of<T>(kernels, g.n) * g.m * g.k + g.m * g.n;
    return along_rows < vectors_of<T>(kernels, g.m) * g.n * g.k + packed;
}

/// C^T = B A^T into memory of our own, and from there to C, some columns of C at a time.
template <class T>
void multiply_turned(const GemmArgs& g, const SmallKernels& kernels) {
    thread_local PackRoom<T> room;
    const T beta = from_scalar<T>(g.beta);
    GemmArgs turned = g;
    turned.n = g.m;
    turned.lda = g.ldb, turned.op_a = Op::NoTrans;
    turned.b = g.a, turned.ldb = g.lda;
    turned.op_b = g.op_a == Op::NoTrans ? Op::Trans : Op::NoTrans;
    turned.beta = {};
    for (index_t first = 0; first < g.n; first += block_n) {
        turned.m = turned.ldc = std::min(block_n, g.n - first);
        T* made = room.get(g.m * turned.m);
        turned.a = static_cast<const T*>(g.b) + first;
        turned.c = made;
        multiply<T>(turned, kernels);
        for (index_t j = 0; j < turned.m; ++j) {
            T* c = static_cast<T*>(g.c) + (first + j) * g.ldc;
            for (index_t i = 0; i < g.m; ++i) c[i] = made[j + i * turned.m] + scaled(beta, c[i]);
        }
    }
}

/// Whether vectors along k are enough fuller than those along columns of C to pay for adding up
/// their lanes for each element of C. Either A must be turned for the one, or for the other.
template <class T>
bool is_better_in_dots(const GemmArgs& g, const SmallKernels& kernels) {
    if (g.op_b != Op::NoTrans) return false;
    // A shuffle and an add for each halving of a vector, and one element of C. Both factors of a
    // product are loaded, which takes a quarter longer.
    const auto lanes = static_cast<unsigned>(kernels.bytes / bytes_of(type_of<T>));
    const index_t adding_up = 2 * std::countr_zero(lanes) + 2;
    const index_t in_dots = (vectors_of<T>(kernels, g.k) * 5 / 4 + adding_up) * g.m * g.n;
    const index_t in_columns = vectors_of<T>(kernels, g.m) * g.n * g.k;
    const index_t turning = turning_steps<T>(g, kernels);
    return g.op_a == Op::NoTrans ? in_dots + turning < in_columns : in_dots < in_columns + turning;
}

template <class T>
void multiply_in_dots(const GemmArgs& g, const SmallKernels& kernels) {
    SmallTile<T> t{};
    t.m = g.m, t.n = g.n;
    t.step_k = 1, t.step_n = g.ldb;
    t.c = static_cast<T*>(g.c), t.ld_c = g.ldc;
    t.alpha[0] = static_cast<T>(g.alpha.re), t.beta[0] = static_cast<T>(g.beta.re);
    t.reads_c = g.beta != Scalar{};
    for (index_t l = 0; l < g.k; l += block_k) {
        t.k = std::min(block_k, g.k - l);
        t.a = static_cast<const T*>(g.a) + (g.op_a == Op::NoTrans ? l * g.lda : l);
        t.ld_a = g.lda;
        t.b = static_cast<const T*>(g.b) + l;
        if (g.op_a == Op::NoTrans) {
            thread_local PackRoom<T> room;
            T* packed = room.get(g.m * t.k);
            pack_turned(kernels, t.a, g.lda, t.k, g.m, false, packed);
            t.a = packed, t.ld_a = t.k;
        }
        if constexpr (std::is_same_v<T, float>)
            kernels.dots_s(t);
        else
            kernels.dots_d(t);
        t.beta[0] = 1;
        t.reads_c = true;
    }
}

/// By the way whose steps are fewest.
template <class T>
void multiply_any(const GemmArgs& g, const SmallKernels& kernels) {
    if constexpr (!is_complex(type_of<T>))
        if (is_better_in_dots<T>(g, kernels)) return multiply_in_dots<T>(g, kernels);
    is_better_turned<T>(g, kernels) ? multiply_turned<T>(g, kernels) : multiply<T>(g, kernels);
}

/// A matrix as it is stored.
template <class T>
struct Stored {
    T* data;
    index_t ld, rows, cols;
};

template <class From, class To>
void convert(const Stored<const From>& from, const Stored<To>& to) {
    const bool dense = from.ld == from.rows && to.ld == from.rows;
    const index_t length = dense ? from.rows * from.cols : from.rows;
    for (index_t j = 0; j < (dense ? 1 : from.cols); ++j)
        convert(from.data + j * from.ld, length, to.data + j * to.ld);
}

/// All matrices as floats in between.
template <class T>
void multiply_short(const GemmArgs& g, const SmallKernels& kernels) {
    thread_local PackRoom<float> room;
    const index_t rows_a = g.op_a == Op::NoTrans ? g.m : g.k;
    const index_t rows_b = g.op_b == Op::NoTrans ? g.k : g.n;
    float* a = room.get(g.m * g.k + g.k * g.n + g.m * g.n);
    float* b = a + g.m * g.k;
    float* c = b + g.k * g.n;
    const auto widen = [](const void* from, index_t ld, index_t rows, index_t cols, float* to) {
        convert<T, float>({static_cast<const T*>(from), ld, rows, cols}, {to, rows, rows, cols});
    };
    widen(g.a, g.lda, rows_a, g.m + g.k - rows_a, a);
    widen(g.b, g.ldb, rows_b, g.k + g.n - rows_b, b);
    if (g.beta != Scalar{}) widen(g.c, g.ldc, g.m, g.n, c);
    GemmArgs s = g;
    s.a = a, s.lda = rows_a;
    s.b = b, s.ldb = rows_b;
    s.c = c, s.ldc = g.m;
    multiply_any<float>(s, kernels);
    convert<float, T>({c, g.m, g.m, g.n}, {static_cast<T*>(g.c), g.ldc, g.m, g.n});
}

}  // namespace

std::span<const SmallKernels* const> small_kernel_sets() {
    static constexpr std::array<const SmallKernels*, 3> all{&small_avx512, &small_avx2,
                                                            &small_plain};
    static const std::size_t skipped =
        cpu_has("avx512f") && cpu_has("avx512dq") && cpu_has("avx512vl") ? 0
        : cpu_has("avx2") && cpu_has("fma")                              ? 1
                                                                         : 2;
    return std::span(all).subspan(skipped);
}

void small_gemm(const GemmArgs& args, const SmallKernels& kernels) {
    if (args.m == 0 || args.n == 0) return;
    with_type(args.type, [&]<class T>() {
        if (args.k == 0 || args.alpha == Scalar{})
            scale<T>(args);
        else if constexpr (is_short(type_of<T>))
            multiply_short<T>(args, kernels);
        else
            multiply_any<T>(args, kernels);
    });
}

void small_gemm(const GemmArgs& args) { small_gemm(args, *small_kernel_sets().front()); }

}  // namespace gemmill
