// SPDX-License-Identifier: Apache-2.0
// The kernels of small.hpp for vectors of `bytes` bytes. Each file that includes this is compiled
// for one instruction set, which it describes by a `Set` of its own, so that no linker takes one's
// code for another's: Set::first(p, left) is the vector of `left` reals at p and zeros behind them,
// Set::put_first(p, left, x) writes so many.
//
// A complex column is reals in pairs: with b = x + iy a vector a of A adds a x to one sum and a y
// to another, whose pairs are swapped and signed once, when all of k is in them.
#pragma once

#include <array>
#include <utility>

#include "kernel/cpu/small/small.hpp"

namespace gemmill {

template <class Set, class R, int bytes, bool complex>
class SmallKernel {
  public:
    /// Tiles of mr vectors by nr columns of C.
    static void run(const SmallTile<R>& t) {
        const index_t reals = complex ? 2 * t.m : t.m, all = (reals + lanes - 1) / lanes;
        // Tall tiles read B less often; they are narrower, so that all sums have a register.
        const bool tall = most_vectors == 4 && all % 4 == 0 && all % 3 != 0;
        const index_t most = tall ? tall_columns : most_columns;
        const index_t step = t.n <= most ? t.n : even_step(t.n, most);
        for (index_t j = 0; j < t.n; j += step) {
            const index_t columns = t.n - j < step ? t.n - j : step;
            for (index_t i = 0, vectors = 0; i < reals; i += vectors * lanes) {
                const index_t left = (reals - i + lanes - 1) / lanes;
                // Four in pairs: one vector alone has too few sums to fill the pipelines.
                vectors = tall ? 4 : left == 4 ? 2 : left < wide_vectors ? left : wide_vectors;
                pick(vectors, columns)(t, i, j);
            }
        }
    }

  private:
    typedef R Vector __attribute__((vector_size(bytes)));
    typedef R Loose __attribute__((vector_size(bytes), aligned(sizeof(R)), may_alias));
    static constexpr int lanes = bytes / static_cast<int>(sizeof(R));
    static constexpr int sums = complex ? 2 : 1;
    static constexpr int most_vectors = bytes == 64 ? 4 : 2, wide_vectors = bytes == 64 ? 3 : 2;
    static constexpr int most_columns = bytes == 64 ? 8 / sums : 4 / sums;
    static constexpr int tall_columns = bytes == 64 ? 6 / sums : most_columns;

    /// As few steps of at most `most` as it takes, of the same length but for the last.
    static index_t even_step(index_t all, index_t most) {
        const index_t steps = (all + most - 1) / most;
        return (all + steps - 1) / steps;
    }

    using Make = void (*)(const SmallTile<R>&, index_t, index_t);

    template <int... at>
    static constexpr std::array<Make, sizeof...(at)> makers(std::integer_sequence<int, at...>) {
        return {tile<at / most_columns + 1, at % most_columns + 1>...};
    }
    /// The function for so many vectors and columns.
    static Make pick(index_t vectors, index_t columns) {
        static constexpr auto all =
            makers(std::make_integer_sequence<int, most_vectors * most_columns>());
        return all[static_cast<std::size_t>((vectors - 1) * most_columns + columns - 1)];
    }

    /// Loops are unrolled so that every vector has a register of its own.
    template <int mr, int nr>
    static void tile(const SmallTile<R>& t, index_t i, index_t j) {
        const index_t left =
            (complex ? 2 * t.m : t.m) - i - (mr - 1) * lanes;  // of the last vector
        if (left < lanes)
            tile<mr, nr, true>(t, i, j, left);
        else
            tile<mr, nr, false>(t, i, j, lanes);
    }

    template <int mr, int nr, bool partial>
    static void tile(const SmallTile<R>& t, index_t i, index_t j, index_t left) {
        Vector sum[sums][nr][mr] = {};
        const R* a = t.a + i;
        const R* b = t.b + j * t.step_n;
        if (t.k >= worth_a_prefetch) prefetch<mr, nr>(t.c + j * t.ld_c + i, t.ld_c);
        for (index_t l = 0; l < t.k; ++l, a += t.ld_a, b += t.step_k) {
            Vector column[mr];
#pragma GCC unroll 4
            for (int v = 0; v < mr; ++v)
                column[v] = load<partial>(a + v * lanes, v == mr - 1, left);
#pragma GCC unroll 8
            for (int q = 0; q < nr; ++q)
#pragma GCC unroll 2
                for (int s = 0; s < sums; ++s) {
                    const R x = b[q * t.step_n + s];
#pragma GCC unroll 4
                    for (int v = 0; v < mr; ++v) sum[s][q][v] += column[v] * x;
                }
        }
        // All of C is read before any is written: a load must not wait for a masked store beside
        // it.
        R* c = t.c + j * t.ld_c + i;
#pragma GCC unroll 8
        for (int q = 0; q < nr; ++q)
#pragma GCC unroll 4
            for (int v = 0; v < mr; ++v) {
                const bool some = partial && v == mr - 1;
                Vector& x = sum[0][q][v];
                if constexpr (complex) x = joined(x, sum[1][q][v], t.conj_b);
                x = times(t.alpha, x);
                if (t.reads_c)
                    x += scaled(t.beta, load<partial>(c + q * t.ld_c + v * lanes, some, left));
            }
#pragma GCC unroll 8
        for (int q = 0; q < nr; ++q)
#pragma GCC unroll 4
            for (int v = 0; v < mr; ++v)
                store<partial>(c + q * t.ld_c + v * lanes, partial && v == mr - 1, left,
                               sum[0][q][v]);
    }

    /// C is asked for before it is needed; sums over less are there sooner than it.
    static constexpr index_t worth_a_prefetch = 16;
    template <int mr, int nr>
    [[gnu::always_inline]] static void prefetch(const R* c, index_t ld) {
#pragma GCC unroll 8
        for (int q = 0; q < nr; ++q)
#pragma GCC unroll 4
            for (int v = 0; v < mr; ++v) __builtin_prefetch(c + q * ld + v * lanes, 1);
    }

    // What takes a vector is inlined: functions that pass them on leave the upper halves of
    // registers in use, and then every SSE instruction of our caller is slow.

    /// (p, q, ...) as (-q, p, ...): times i. Lane by lane, compilers take it apart.
    template <int... at>
    [[gnu::always_inline]] static Vector turned(Vector x, std::integer_sequence<int, at...>) {
        constexpr Vector signs{(at % 2 == 0 ? R(-1) : R(1))...};
        return __builtin_shufflevector(x, x, (at ^ 1)...) * signs;
    }
    [[gnu::always_inline]] static Vector turned(Vector x) {
        return turned(x, std::make_integer_sequence<int, lanes>());
    }
    [[gnu::always_inline]] static Vector joined(Vector by_re, Vector by_im, bool conj_b) {
        return conj_b ? by_re - turned(by_im) : by_re + turned(by_im);
    }
    [[gnu::always_inline]] static Vector times(const R (&factor)[2], Vector x) {
        if constexpr (complex)
            return x * factor[0] + turned(x) * factor[1];
        else
            return x * factor[0];
    }
    /// The old C times beta, of which 1 multiplies nothing: infinities stay.
    [[gnu::always_inline]] static Vector scaled(const R (&beta)[2], Vector x) {
        return complex && beta[0] == 1 && beta[1] == 0 ? x : times(beta, x);
    }

    /// `left` lanes when it is `some`, else all.
    template <bool partial>
    [[gnu::always_inline]] static Vector load(const R* from, bool some, index_t left) {
        if constexpr (partial)
            if (some) return Set::first(from, left);
        return *reinterpret_cast<const Loose*>(from);
    }
    template <bool partial>
    [[gnu::always_inline]] static void store(R* to, bool some, index_t left, Vector x) {
        if (partial && some)
            Set::put_first(to, left, x);
        else
            *reinterpret_cast<Loose*>(to) = x;
    }
};

template <class Set, int bytes>
constexpr SmallKernels small_kernels(const char* name) {
    return {name, SmallKernel<Set, float, bytes, false>::run,
            SmallKernel<Set, double, bytes, false>::run, SmallKernel<Set, float, bytes, true>::run,
            SmallKernel<Set, double, bytes, true>::run};
}

}  // namespace gemmill
