// SPDX-License-Identifier: Apache-2.0
// Products in double precision by tensor cores, without shared memory: fragments of A, B and C are
// read where they lie. Eight rows of a column, or four of eight columns, are whole sectors, so
// nothing is read twice from memory; what several warps of a tile share comes from the first cache.
#pragma once

#include "kernel/cuda/part/fragments.cuh"
#include "kernel/cuda/part/gate.cuh"
#include "kernel/cuda/tile/near.hpp"
#include "kernel/cuda/tile/source.cuh"

namespace gemmill::batch {

/// A lane's part of `cols` columns of fragments of C, from column `first` of fragments on; element
/// (row, col) of C is the lane's first.
template <class T, int rows, int mt, int cols>
struct Old {
    T x[mt][cols][rows / 8][2];

    template <class Use>
    __device__ static void each(const Product<T>& g, int row, int col, int first, Use use) {
        T* out = g.c + row + col * g.ldc;
        const int ldc = static_cast<int>(g.ldc);
#pragma unroll
        for (int j = 0; j < cols; ++j)
#pragma unroll
            for (int e = 0; e < 2; ++e)
#pragma unroll
                for (int i = 0; i < mt; ++i)
#pragma unroll
                    for (int h = 0; h < rows / 8; ++h) {
                        const int down = i * rows + h * 8, right = (first + j) * 8 + e;
                        if (row + down < g.m && col + right < g.n)
                            use(out[down + right * ldc], i, j, h, e);
                    }
    }
    /// C is not read when beta is 0.
    __device__ void load(const Product<T>& g, int row, int col, int first) {
        if (Number<T>::is_zero(g.beta)) return;
        each(g, row, col, first,
             [&](const T& at, int i, int j, int h, int e) { x[i][j][h][e] = at; });
    }
    template <class F, int nt>
    __device__ void store(const Product<T>& g, const typename F::C (&c)[mt][nt], int row, int col,
                          int first) const {
        using W = Wide<T>;
        using N = Number<typename W::Number>;
        using S = Wide<typename Product<T>::Sum>;
        const auto alpha = S::load(g.alpha), beta = S::load(g.beta);
        const bool reads = !N::is_zero(beta);
        each(g, row, col, first, [&](T& at, int i, int j, int h, int e) {
            auto value = g.k > 0 ? N::times(alpha, c[i][first + j].get(h, e)) : F::zero();
            if (reads) value = N::plus(value, N::scaled(beta, W::load(x[i][j][h][e])));
            at = W::store(value);
        });
    }
};

/// Fragments of C are finished and written, some columns of fragments at a time.
template <class T, class F, int rows, int mt, int nt>
__device__ void store_fragments(const Product<T>& g, const typename F::C (&c)[mt][nt], int row,
                                int col) {
    constexpr int some = nt % 2 == 0 ? 2 : nt % 3 == 0 ? 3 : 1;
#pragma unroll
    for (int first = 0; first < nt; first += some) {
        Old<T, rows, mt, some> old;
        old.load(g, row, col, first);
        old.template store<F>(g, c, row, col, first);
    }
}

/// A warp makes mt x nt fragments of C, a tile is made by wr x wc warps.
template <class T, int rows, int depth, int mt, int nt, int wr, int wc>
struct MmaTile {
    using W = Wide<T>;
    using F = Fragments<typename W::Number, rows, depth>;
    static constexpr int warps = wr * wc, fragments_m = mt, fragments_n = nt, slab = depth;
    using OldC = Old<T, rows, mt, nt>;
    static constexpr int tile_m = rows * mt * wr, tile_n = 8 * nt * wc;
    struct Slab {
        typename F::A a[mt];
        typename F::B b[nt];
    };
    /// Steps within a tile fit 32 bits: leading dimensions are below mma_largest_ld.
    struct Steps {
        int a_row, a_col, b_row, b_col;
        __device__ explicit Steps(const Product<T>& g)
            : a_row(static_cast<int>(g.a_row)),
              a_col(static_cast<int>(g.a_col)),
              b_row(static_cast<int>(g.b_row)),
              b_col(static_cast<int>(g.b_col)) {}
    };

    /// The tile of g that begins at (row, col).
    __device__ static void run(const Product<T>& g, int row, int col) {
        const int warp = (threadIdx.x / 32) % warps, lane = threadIdx.x % 32;
        row += warp % wr * (rows * mt);
        col += warp / wr * (8 * nt);
        if (row >= g.m || col >= g.n) return;
        const int group = lane / 4, thread = lane % 4;
        const Steps by(g);
        const T* a = g.a + (row + group) * g.a_row + thread * by.a_col;
        const T* b = g.b + (col + group) * g.b_col + thread * by.b_row;
        typename F::C c[mt][nt];
        Slab slab, next;
        const int rows_left = g.m - row - group, cols_left = g.n - col - group;
        load(slab, g, by, a, b, rows_left, cols_left, g.k - thread);
        for (int l = 0; l < g.k; l += depth) {
            if (l + depth < g.k) {
                a += depth * by.a_col;
                b += depth * by.b_row;
                load(next, g, by, a, b, rows_left, cols_left, g.k - thread - l - depth);
            }
#pragma unroll
            for (int i = 0; i < mt; ++i)
#pragma unroll
                for (int j = 0; j < nt; ++j) F::multiply(c[i][j], slab.a[i], slab.b[j]);
            slab = next;
        }
        store_fragments<T, F, rows, mt, nt>(g, c, row + group, col + 2 * thread);
    }

    __device__ static void load(Slab& slab, const Product<T>& g, const Steps& by, const T* a,
                                const T* b, int rows_left, int cols_left, int left) {
#pragma unroll
        for (int s = 0; s < depth / 4; ++s) {
            const bool in = 4 * s < left;
#pragma unroll
            for (int i = 0; i < mt; ++i)
#pragma unroll
                for (int h = 0; h < rows / 8; ++h) {
                    const int at = i * rows + h * 8;
                    const bool there = in && at < rows_left;
                    slab.a[i].set(s, h,
                                  there ? W::load(a[at * by.a_row + 4 * s * by.a_col]) : F::zero(),
                                  g.conj_a);
                }
#pragma unroll
            for (int j = 0; j < nt; ++j)
                slab.b[j].set(s,
                              in && 8 * j < cols_left
                                  ? W::load(b[4 * s * by.b_row + 8 * j * by.b_col])
                                  : F::zero(),
                              g.conj_b);
        }
    }
};

/// Products of a block's warps, one after the other. The next is looked up while one is made.
template <class T, class Source>
class Products {
  public:
    __device__ Products(const Batch& x, const Source& source, index_t first, index_t step)
        : x_(x), source_(source), count_(source.count(x)), step_(step), w_(first) {
        look_up();
    }
    __device__ bool next(Product<T>& g) {
        if (w_ >= count_) return false;
        g = next_;
        w_ += step_;
        look_up();
        return true;
    }

  private:
    __device__ void look_up() {
        if (w_ < count_) next_ = product_of<T, Source::shapes>(x_, source_[w_]);
    }

    const Batch& x_;
    const Source& source_;
    index_t count_, step_, w_;
    Product<T> next_;
};

/// Products of at most one tile, each by `Tile::warps` warps of a block.
template <class Tile, class T, class Source, int threads>
__global__ void __launch_bounds__(threads)
    mma_kernel(const __grid_constant__ Batch x, const __grid_constant__ Source source,
               const __grid_constant__ Gate gate = {}) {
    if (is_shut(gate)) return;
    constexpr int per_block = threads / 32 / Tile::warps;
    source.begin();
    Products<T, Source> products(
        x, source, static_cast<index_t>(blockIdx.x) * per_block + threadIdx.x / 32 / Tile::warps,
        static_cast<index_t>(gridDim.x) * per_block);
    for (Product<T> g; products.next(g);) Tile::run(g, 0, 0);
    Source::end();
}

/// Products of at most one tile and one slab, each by a warp. All that it reads is asked for first.
template <class Tile, class T, class Source, int threads>
__global__ void __launch_bounds__(threads)
    mma_pack_kernel(const __grid_constant__ Batch x, const __grid_constant__ Source source,
                    const __grid_constant__ Gate gate = {}) {
    if (is_shut(gate)) return;
    using F = typename Tile::F;
    static_assert(Tile::warps == 1);
    source.begin();
    const int lane = threadIdx.x % 32, group = lane / 4, thread = lane % 4;
    constexpr int per_block = threads / 32;
    Products<T, Source> products(x, source,
                                 static_cast<index_t>(blockIdx.x) * per_block + threadIdx.x / 32,
                                 static_cast<index_t>(gridDim.x) * per_block);
    for (Product<T> g; products.next(g);) {
        const typename Tile::Steps by(g);
        typename Tile::Slab slab;
        Tile::load(slab, g, by, g.a + group * by.a_row + thread * by.a_col,
                   g.b + group * by.b_col + thread * by.b_row, g.m - group, g.n - group,
                   g.k - thread);
        typename Tile::OldC old;
        old.load(g, group, 2 * thread, 0);
        typename F::C c[Tile::fragments_m][Tile::fragments_n];
#pragma unroll
        for (int i = 0; i < Tile::fragments_m; ++i)
#pragma unroll
            for (int j = 0; j < Tile::fragments_n; ++j) F::multiply(c[i][j], slab.a[i], slab.b[j]);
        old.template store<F>(g, c, group, 2 * thread, 0);
    }
    Source::end();
}

}  // namespace gemmill::batch
