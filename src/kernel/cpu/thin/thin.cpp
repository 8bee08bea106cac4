// SPDX-License-Identifier: Apache-2.0
#include "kernel/cpu/thin/thin.hpp"

#include <algorithm>

#include "kernel/cpu/small/pack.hpp"

namespace gemmill {
namespace {

/// Bytes of a packed block of A, which stays in the second cache while a block of B goes by, and of
/// that one, which is to take no more than a core's share of the third.
constexpr index_t bytes_a = index_t{384} << 10, bytes_b = index_t{2} << 20;

index_t rounded_up(index_t count, index_t unit) { return (count + unit - 1) / unit * unit; }

/// The length of blocks of lines of so many bytes: as few blocks of `most` bytes as it takes, of
/// about the same length and of whole panels.
index_t block_of(index_t lines, index_t bytes, index_t most, index_t panel) {
    const index_t blocks = std::max<index_t>(1, (lines * bytes + most - 1) / most);
    return rounded_up((lines + blocks - 1) / blocks, panel);
}

/// A factor as lines along k: rows of op(A), columns of op(B).
template <class T>
struct Lines {
    const T* data;
    index_t ld;
    bool along;  ///< a line lies as it is in memory; else it has an element of each column
    bool conj;   ///< only where it does
    index_t k;

    const T* at(index_t line) const { return data + (along ? line * ld : line); }
    T get(index_t line, index_t l) const { return conjugated(at(line)[along ? l : l * ld], conj); }
};

/// The last panel, which has fewer lines; zeros behind them.
template <class T>
void pack_some(const Lines<T>& x, index_t first, index_t count, index_t panel, T* to) {
    for (index_t l = 0; l < x.k; ++l)
        for (index_t p = 0; p < panel; ++p)
            to[l * panel + p] = p < count ? x.get(first + p, l) : T(0);
}

/// So many lines in panels, one behind the other.
template <class T>
void pack(const Lines<T>& x, index_t first, index_t count, index_t panel,
          const SmallKernels& kernels, T* to) {
    for (index_t p = 0; p < count; p += panel, to += panel * x.k)
        if (count - p < panel)
            pack_some(x, first + p, count - p, panel, to);
        else if (x.along)
            pack_turned(kernels, x.at(first + p), x.ld, panel, x.k, x.conj, to);
        else
            pack_copied(x.at(first + p), x.ld, panel, x.k, to);
}

void run(const SmallKernels& kernels, const PanelBlock<float>& x, bool complex) {
    complex ? kernels.panels_c(x) : kernels.panels_s(x);
}
void run(const SmallKernels& kernels, const PanelBlock<double>& x, bool complex) {
    complex ? kernels.panels_z(x) : kernels.panels_d(x);
}

template <class T>
bool multiply(const GemmArgs& g, const SmallKernels& kernels) {
    using R = typename RealOf<T>::type;
    constexpr bool complex = is_complex(type_of<T>);
    constexpr index_t parts = complex ? 2 : 1, size = bytes_of(type_of<T>);
    const index_t panel_m = kernels.panel_vectors * kernels.bytes / size;
    const index_t panel_n = kernels.panel_columns / parts;
    const index_t block_m = block_of(g.m, g.k * size, bytes_a, panel_m);
    const index_t block_n = block_of(g.n, g.k * size, bytes_b, panel_n);
    thread_local PackRoom<T> room;
    T* const packed_a = room.try_get((block_m + block_n) * g.k);
    if (packed_a == nullptr) return false;
    T* const packed_b = packed_a + block_m * g.k;
    const Lines<T> a{static_cast<const T*>(g.a), g.lda, g.op_a != Op::NoTrans,
                     g.op_a == Op::ConjTrans, g.k};
    // Conjugates of B cost nothing in the kernel, and lines that are not turned are copied as they
    // are.
    const Lines<T> b{static_cast<const T*>(g.b), g.ldb, g.op_b == Op::NoTrans, false, g.k};
    PanelBlock<R> x{};
    x.k = g.k;
    x.a = reinterpret_cast<const R*>(packed_a), x.b = reinterpret_cast<const R*>(packed_b);
    x.ld_c = parts * g.ldc;
    x.alpha[0] = static_cast<R>(g.alpha.re), x.alpha[1] = static_cast<R>(g.alpha.im);
    x.beta[0] = static_cast<R>(g.beta.re), x.beta[1] = static_cast<R>(g.beta.im);
    x.conj_b = g.op_b == Op::ConjTrans;
    x.reads_c = g.beta != Scalar{};
    for (index_t j = 0; j < g.n; j += block_n) {
        x.n = std::min(block_n, g.n - j);
        pack(b, j, x.n, panel_n, kernels, packed_b);
        for (index_t i = 0; i < g.m; i += block_m) {
            x.m = std::min(block_m, g.m - i);
            pack(a, i, x.m, panel_m, kernels, packed_a);
            x.c = static_cast<R*>(g.c) + parts * (i + j * g.ldc);
            run(kernels, x, complex);
        }
    }
    return true;
}

}  // namespace

bool thin_gemm(const GemmArgs& args, const SmallKernels& kernels) noexcept {
    if (is_short(args.type)) return false;
    if (args.m == 0 || args.n == 0) return true;
    if (args.k == 0 || args.alpha == Scalar{}) {
        small_gemm(args, kernels);  // which packs nothing for this
        return true;
    }
    bool done = false;
    with_type(args.type, [&]<class T>() {
        if constexpr (!is_short(type_of<T>)) done = multiply<T>(args, kernels);
    });
    return done;
}

}  // namespace gemmill
