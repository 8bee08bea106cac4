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

#include "kernel/cpu/small/panel_kernels.hpp"
#include "kernel/cpu/small/small.hpp"
#include "kernel/cpu/small/vectors.hpp"

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

    /// Each element of C by itself, several at a time.
    static void dots(const SmallTile<R>& t) {
        for (index_t j = 0; j < t.n; j += dot_columns)
            for (index_t i = 0; i < t.m; i += dot_rows) pick_dots(t.m - i, t.n - j)(t, i, j);
    }

  private:
    using Vectors = SmallVectors<Set, R, bytes, complex>;
    using Vector = typename Vectors::Vector;
    static constexpr int lanes = Vectors::lanes, sums = Vectors::sums;
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
        if (t.k >= worth_a_prefetch)
            Vectors::template prefetch<mr, nr>(t.c + j * t.ld_c + i, t.ld_c);
        for (index_t l = 0; l < t.k; ++l, a += t.ld_a, b += t.step_k) {
            Vector column[mr];
#pragma GCC unroll 4
            for (int v = 0; v < mr; ++v)
                column[v] = Vectors::template load<partial>(a + v * lanes, v == mr - 1, left);
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
                if constexpr (complex) x = Vectors::joined(x, sum[1][q][v], t.conj_b);
                x = Vectors::times(t.alpha, x);
                if (t.reads_c)
                    x += Vectors::scaled(t.beta, Vectors::template load<partial>(
                                                     c + q * t.ld_c + v * lanes, some, left));
            }
#pragma GCC unroll 8
        for (int q = 0; q < nr; ++q)
#pragma GCC unroll 4
            for (int v = 0; v < mr; ++v)
                Vectors::template store<partial>(c + q * t.ld_c + v * lanes, partial && v == mr - 1,
                                                 left, sum[0][q][v]);
    }

    static constexpr int dot_rows = 4, dot_columns = 2;

    static Make pick_dots(index_t rows, index_t columns) {
        static constexpr std::array<Make, dot_rows * dot_columns> all{
            dot_tile<1, 1>, dot_tile<1, 2>, dot_tile<2, 1>, dot_tile<2, 2>,
            dot_tile<3, 1>, dot_tile<3, 2>, dot_tile<4, 1>, dot_tile<4, 2>};
        const index_t r = rows < dot_rows ? rows : dot_rows;
        const index_t c = columns < dot_columns ? columns : dot_columns;
        return all[static_cast<std::size_t>((r - 1) * dot_columns + c - 1)];
    }

    template <int mr, int nr>
    static void dot_tile(const SmallTile<R>& t, index_t i, index_t j) {
        Vector sum[mr][nr] = {};
        const R* a = t.a + i * t.ld_a;
        const R* b = t.b + j * t.step_n;
        const index_t whole = t.k / lanes * lanes;
        for (index_t l = 0; l < whole; l += lanes) {
            // Columns are short: whoever fetches ahead by itself has just begun at their end.
            if (j == 0) prefetch_next<mr>(a + l, t.ld_a);
            if (i == 0) prefetch_next<nr>(b + l, t.step_n);
            add_products<false>(sum, a + l, b + l, t, lanes);
        }
        if (whole < t.k) add_products<true>(sum, a + whole, b + whole, t, t.k - whole);
        for (int q = 0; q < nr; ++q)
            for (int p = 0; p < mr; ++p) {
                R& c = t.c[i + p + (j + q) * t.ld_c];
                const R x = t.alpha[0] * total(sum[p][q]);
                c = t.reads_c ? x + t.beta[0] * c : x;
            }
    }

    template <int count>
    [[gnu::always_inline]] static void prefetch_next(const R* from, index_t step) {
#pragma GCC unroll 4
        for (int p = 0; p < count; ++p) __builtin_prefetch(from + (count + p) * step);
    }

    template <bool partial, int mr, int nr>
    [[gnu::always_inline]] static void add_products(Vector (&sum)[mr][nr], const R* a, const R* b,
                                                    const SmallTile<R>& t, index_t left) {
        Vector column[nr];
#pragma GCC unroll 2
        for (int q = 0; q < nr; ++q)
            column[q] = Vectors::template load<partial>(b + q * t.step_n, true, left);
#pragma GCC unroll 4
        for (int p = 0; p < mr; ++p) {
            const Vector row = Vectors::template load<partial>(a + p * t.ld_a, true, left);
#pragma GCC unroll 2
            for (int q = 0; q < nr; ++q) sum[p][q] += row * column[q];
        }
    }

    /// The sum of all lanes: halves are added until one is left.
    template <int count = lanes, class V>
    [[gnu::always_inline]] static R total(V x) {
        if constexpr (count == 2)
            return x[0] + x[1];
        else
            return total<count / 2>(half_sum(x, std::make_integer_sequence<int, count / 2>()));
    }
    template <class V, int... at>
    [[gnu::always_inline]] static auto half_sum(V x, std::integer_sequence<int, at...>) {
        return __builtin_shufflevector(x, x, at...) +
               __builtin_shufflevector(x, x, (at + static_cast<int>(sizeof...(at)))...);
    }

    /// C is asked for before it is needed; sums over less are there sooner than it.
    static constexpr index_t worth_a_prefetch = 16;
};

/// Doubles the other way round, in squares of as many as a vector has, up to four; what is left at
/// the borders in smaller ones.
template <class Set, int bytes>
class SmallTurn {
  public:
    static constexpr int edge = bytes >= 32 ? 4 : 2;
    static void run(const double* from, index_t ld, index_t m, index_t k, double* to) {
        squares<edge>(from, ld, m, k, to, m);
    }

  private:
    typedef double Two __attribute__((vector_size(16), aligned(8), may_alias));
    typedef double Four __attribute__((vector_size(32), aligned(8), may_alias));

    template <int size>
    static void squares(const double* from, index_t ld, index_t m, index_t k, double* to,
                        index_t ld_to) {
        const index_t whole_m = m / size * size, whole_k = k / size * size;
        for (index_t p = 0; p < whole_m; p += size)
            for (index_t q = 0; q < whole_k; q += size)
                square<size>(from + q + p * ld, ld, to + p + q * ld_to, ld_to);
        if constexpr (size > 1) {
            squares<size / 2>(from + whole_k, ld, whole_m, k - whole_k, to + whole_k * ld_to,
                              ld_to);
            squares<size / 2>(from + whole_m * ld, ld, m - whole_m, k, to + whole_m, ld_to);
        }
    }

    template <int size>
    [[gnu::always_inline]] static void square(const double* from, index_t ld, double* to,
                                              index_t ld_to) {
        if constexpr (size == 1) {
            *to = *from;
        } else if constexpr (size == 2) {
            const Two x = two(from), y = two(from + ld);
            two(to) = __builtin_shufflevector(x, y, 0, 2);
            two(to + ld_to) = __builtin_shufflevector(x, y, 1, 3);
        } else {
            const Four a = four(from), b = four(from + ld);
            const Four c = four(from + 2 * ld), d = four(from + 3 * ld);
            const Four ab = __builtin_shufflevector(a, b, 0, 4, 2, 6);
            const Four cd = __builtin_shufflevector(c, d, 0, 4, 2, 6);
            four(to) = __builtin_shufflevector(ab, cd, 0, 1, 4, 5);
            four(to + 2 * ld_to) = __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
            const Four ab2 = __builtin_shufflevector(a, b, 1, 5, 3, 7);
            const Four cd2 = __builtin_shufflevector(c, d, 1, 5, 3, 7);
            four(to + ld_to) = __builtin_shufflevector(ab2, cd2, 0, 1, 4, 5);
            four(to + 3 * ld_to) = __builtin_shufflevector(ab2, cd2, 2, 3, 6, 7);
        }
    }
    // Not templates: those forget that these types need not be aligned.
    [[gnu::always_inline]] static Two& two(double* p) { return *reinterpret_cast<Two*>(p); }
    [[gnu::always_inline]] static const Two& two(const double* p) {
        return *reinterpret_cast<const Two*>(p);
    }
    [[gnu::always_inline]] static Four& four(double* p) { return *reinterpret_cast<Four*>(p); }
    [[gnu::always_inline]] static const Four& four(const double* p) {
        return *reinterpret_cast<const Four*>(p);
    }
};

template <class Set, int bytes>
constexpr SmallKernels small_kernels(const char* name) {
    return {name,
            bytes,
            SmallKernel<Set, float, bytes, false>::run,
            SmallKernel<Set, double, bytes, false>::run,
            SmallKernel<Set, float, bytes, true>::run,
            SmallKernel<Set, double, bytes, true>::run,
            SmallKernel<Set, float, bytes, false>::dots,
            SmallKernel<Set, double, bytes, false>::dots,
            SmallTurn<Set, bytes>::edge,
            SmallTurn<Set, bytes>::run,
            PanelKernel<Set, double, bytes, false>::vectors,
            PanelKernel<Set, double, bytes, false>::columns,
            PanelKernel<Set, float, bytes, false>::run,
            PanelKernel<Set, double, bytes, false>::run,
            PanelKernel<Set, float, bytes, true>::run,
            PanelKernel<Set, double, bytes, true>::run};
}

}  // namespace gemmill
