// SPDX-License-Identifier: Apache-2.0
// What a thread does of a product in shared memory (stage.cuh): which elements it reads,
// multiplies and writes.
#pragma once

#include "kernel/cuda/one_shape/stage/copy.cuh"

namespace gemmill::batch {

template <class Tile>
struct StagePart;

template <class T_, int tm_, int tn_, int threads_, int blocks_, int stages_ = 1,
          bool direct_ = false>
struct StageTile {
    using T = T_;
    using Part = StagePart<StageTile>;
    static constexpr int tm = tm_, tn = tn_, threads = threads_, blocks = blocks_;
    static constexpr int lanes = 1, stages = stages_;
    static constexpr bool direct = direct_;  // C goes from registers to memory
};

/// What a thread makes: `tm` rows and `tn` columns of a product from (row, col) on, for every
/// deep-th of k from q on. The last tile begins earlier rather than outside: what others have it
/// does not write.
template <class Tile>
struct StagePart {
    using T = typename Tile::T;
    using N = Number<T>;
    using Sums = typename N::Sum[Tile::tn][Tile::tm];
    static constexpr int tm = Tile::tm, tn = Tile::tn;
    const StagePlan& plan;
    int product, q, x, y, row, col, rows, cols;

    /// Number u of all threads of all products. rows and cols are those of the part of C.
    __device__ StagePart(const StagePlan& plan_, int u, int rows_, int cols_)
        : plan(plan_), rows(rows_), cols(cols_) {
        const auto tile = static_cast<unsigned>(u >> plan.log_deep);
        const int tiles = plan.down * plan.right;
        q = u & (plan.deep - 1);
        product = static_cast<int>(quotient(tile, tiles, plan.by_tiles));
        const int of_product = static_cast<int>(tile) - product * tiles;
        y = static_cast<int>(quotient(static_cast<unsigned>(of_product), plan.down, plan.by_down));
        x = of_product - y * plan.down;
        row = max(min(x * tm, rows - tm), 0);
        col = max(min(y * tn, cols - tn), 0);
    }

    /// Adds what a slab of k adds.
    __device__ void multiply(Sums& sum, const Product<T>& g, const T* a, const T* b, int k) const {
        if (plan.turned || plan.deep > 1)
            step_by_step(sum, g, a, b, k);
        else if (plan.a.along)
            plan.b.along ? straight<true, true>(sum, g, a, b, k)
                         : straight<true, false>(sum, g, a, b, k);
        else
            plan.b.along ? straight<false, true>(sum, g, a, b, k)
                         : straight<false, false>(sum, g, a, b, k);
    }

    /// Sums of all threads along k become one.
    __device__ void join(Sums& sum) const {
        for (int step = 1; step < plan.deep; step *= 2)
#pragma unroll
            for (int j = 0; j < tn; ++j)
#pragma unroll
                for (int i = 0; i < tm; ++i)
                    sum[j][i] = N::plus(sum[j][i], from_lane(sum[j][i], step));
    }

    /// C in shared memory is finished, and goes to where columns are `line` apart.
    __device__ void finish(const Sums& sum, const Product<T>& g, const T* c, T* to,
                           index_t line) const {
        if (N::is_zero(g.beta))
            finish<false>(sum, g, c, to, line);
        else
            finish<true>(sum, g, c, to, line);
    }

  private:
    __device__ static void add(Sums& sum, const Product<T>& g, typename N::Sum (&a)[tm],
                               typename N::Sum (&b)[tn]) {
        if (g.conj_a)
#pragma unroll
            for (int i = 0; i < tm; ++i) a[i] = N::conj(a[i]);
        if (g.conj_b)
#pragma unroll
            for (int j = 0; j < tn; ++j) b[j] = N::conj(b[j]);
#pragma unroll
        for (int j = 0; j < tn; ++j)
#pragma unroll
            for (int i = 0; i < tm; ++i) N::add(sum[j][i], a[i], b[j]);
    }
    /// Element number e of those from `first` on. Past the edge is other memory where lines run
    /// along it, and the last line where they do not.
    __device__ static int place(const StageMatrix& s, int first, int e, int edge) {
        return s.along ? first + e : min(first + e, edge - 1) * s.line;
    }

    /// One k after the other.
    template <bool along_a, bool along_b>
    __device__ void straight(Sums& sum, const Product<T>& g, const T* a, const T* b, int k) const {
        const int line_a = plan.a.line, line_b = plan.b.line;
        const T *pa[along_a ? 1 : tm], *pb[along_b ? 1 : tn];
#pragma unroll
        for (int i = 0; i < (along_a ? 1 : tm); ++i) pa[i] = a + place(plan.a, row, i, rows);
#pragma unroll
        for (int j = 0; j < (along_b ? 1 : tn); ++j) pb[j] = b + place(plan.b, col, j, cols);
#pragma unroll 4
        for (int l = 0; l < k; ++l) {
            typename N::Sum va[tm], vb[tn];
#pragma unroll
            for (int i = 0; i < tm; ++i) va[i] = N::load(along_a ? pa[0][i] : pa[i][l]);
#pragma unroll
            for (int j = 0; j < tn; ++j) vb[j] = N::load(along_b ? pb[0][j] : pb[j][l]);
            if (along_a) pa[0] += line_a;
            if (along_b) pb[0] += line_b;
            add(sum, g, va, vb);
        }
    }
    /// From another k on for each thread, or every deep-th.
    __device__ void step_by_step(Sums& sum, const Product<T>& g, const T* a, const T* b,
                                 int k) const {
        const int a_step = plan.a.along ? plan.a.line : 1, b_step = plan.b.along ? plan.b.line : 1;
        int of_a[tm], of_b[tn];
#pragma unroll
        for (int i = 0; i < tm; ++i) of_a[i] = place(plan.a, row, i, rows);
#pragma unroll
        for (int j = 0; j < tn; ++j) of_b[j] = place(plan.b, col, j, cols);
        const int step = plan.deep, turn = plan.turned ? k : 1 << 30;
        int l = plan.turned ? (x + y + product) % max(k, 1) : q;
#pragma unroll 2
        for (int done = q; done < k; done += step) {
            const T *pa = a + l * a_step, *pb = b + l * b_step;
            typename N::Sum va[tm], vb[tn];
#pragma unroll
            for (int i = 0; i < tm; ++i) va[i] = N::load(pa[of_a[i]]);
#pragma unroll
            for (int j = 0; j < tn; ++j) vb[j] = N::load(pb[of_b[j]]);
            l += step;
            l = l == turn ? 0 : l;
            add(sum, g, va, vb);
        }
    }

    template <bool reads>
    __device__ void finish(const Sums& sum, const Product<T>& g, const T* c, T* to,
                           index_t line) const {
        const auto alpha = g.k > 0 ? g.alpha : typename N::Sum{};
        bool has[tm];
#pragma unroll
        for (int i = 0; i < tm; ++i) has[i] = row + i >= x * tm && row + i < rows;
#pragma unroll
        for (int j = 0; j < tn; ++j) {
            if (col + j < y * tn || col + j >= cols) continue;
            const T* const old = c + row + (col + j) * plan.c.line;
            T* const out = to + row + (col + j) * line;
#pragma unroll
            for (int i = 0; i < tm; ++i) {
                if (!has[i]) continue;
                auto value = N::times(alpha, sum[j][i]);
                if (reads) value = N::plus(value, N::scaled(g.beta, N::load(old[i])));
                out[i] = N::store(value);
            }
        }
    }
};

}  // namespace gemmill::batch
