// SPDX-License-Identifier: Apache-2.0
// Products of packed factors: a tile of C is read and written once, when its sums are complete.
// small_kernels.hpp says what a `Set` is, and how complex numbers are summed.
#pragma once

#include "kernel/cpu/small/small.hpp"
#include "kernel/cpu/small/vectors.hpp"

namespace gemmill {

template <class Set, class R, int bytes, bool complex>
class PanelKernel {
    using Vectors = SmallVectors<Set, R, bytes, complex>;
    using Vector = typename Vectors::Vector;
    static constexpr int lanes = Vectors::lanes, sums = Vectors::sums;

  public:
    /// Of a tile. All sums have a register, and so have the vectors of A and one element of B.
    static constexpr int vectors = bytes == 64 ? 3 : 2;
    static constexpr int columns = (bytes == 64 ? 8 : bytes == 32 ? 6 : 4) / sums;

    /// Columns of tiles one after the other: the panel of B stays in the first cache, A in the
    /// second, and C is walked along its columns.
    static void run(const PanelBlock<R>& block) {
        const PanelBlock<R> x = block;  // which no store to C can change
        const index_t reals = sums * x.m;
        for (index_t j = 0; j < x.n; j += columns)
            for (index_t i = 0; i < reals; i += rows) {
                const bool whole = reals - i >= rows && x.n - j >= columns;
                whole ? tile<false>(x, i, j) : tile<true>(x, i, j);
            }
    }

  private:
    static constexpr int rows = vectors * lanes;  // of a tile, in reals

    template <bool partial>
    [[gnu::always_inline]] static void tile(const PanelBlock<R>& x, index_t i, index_t j) {
        Vector sum[sums][columns][vectors] = {};
        R* c = x.c + i + j * x.ld_c;
        if (!partial) Vectors::template prefetch<vectors, columns>(c, x.ld_c);
        add_products(x.a + i * x.k, x.b + j * sums * x.k, x.k, sum);
        // Of a partial tile: how many there are.
        const index_t here = partial ? sums * x.m - i : rows;
        const index_t wide = partial && x.n - j < columns ? x.n - j : columns;
#pragma GCC unroll 8
        for (int q = 0; q < columns; ++q) {
            if (partial && q >= wide) break;
#pragma GCC unroll 4
            for (int v = 0; v < vectors; ++v) {
                const index_t left = here - v * lanes;
                if (partial && left <= 0) break;
                Vector y = sum[0][q][v];
                if constexpr (complex) y = Vectors::joined(y, sum[1][q][v], x.conj_b);
                put<partial>(x, Vectors::times(x.alpha, y), c + q * x.ld_c + v * lanes, left);
            }
        }
    }

    [[gnu::always_inline]] static void add_products(const R* a, const R* b, index_t k,
                                                    Vector (&sum)[sums][columns][vectors]) {
#pragma GCC unroll 2
        for (index_t l = 0; l < k; ++l, a += rows, b += columns * sums) {
            Vector column[vectors];
#pragma GCC unroll 4
            for (int v = 0; v < vectors; ++v)
                column[v] = Vectors::template load<false>(a + v * lanes, false, lanes);
#pragma GCC unroll 8
            for (int q = 0; q < columns; ++q)
#pragma GCC unroll 2
                for (int s = 0; s < sums; ++s) {
                    const R y = b[q * sums + s];
#pragma GCC unroll 4
                    for (int v = 0; v < vectors; ++v) sum[s][q][v] += column[v] * y;
                }
        }
    }

    template <bool partial>
    [[gnu::always_inline]] static void put(const PanelBlock<R>& x, Vector y, R* c, index_t left) {
        const bool some = partial && left < lanes;
        if (x.reads_c) y += Vectors::scaled(x.beta, Vectors::template load<partial>(c, some, left));
        Vectors::template store<partial>(c, some, left, y);
    }
};

}  // namespace gemmill
