// SPDX-License-Identifier: Apache-2.0
// Products of any type and size by multiply-adds: the kernel of Abdelfattah, Haidar, Tomov and
// Dongarra. Slabs of A and B go through registers to shared memory while the ones before them are
// multiplied; a thread keeps tm x tn elements of C. A warp has 8 x 4 threads, a tile wr x wc warps;
// a block has one tile.
#pragma once

#include "kernel/cuda/part/gate.cuh"
#include "kernel/cuda/tile/source.cuh"

namespace gemmill::batch {

template <class T, int tm, int tn, int wr, int wc, int depth_>
struct FmaTile {
    static constexpr int depth = depth_;
    using N = Number<T>;
    using Sum = typename N::Sum;
    static constexpr int warps = wr * wc, threads = 32 * warps;
    static constexpr int tile_m = 8 * tm * wr, tile_n = 4 * tn * wc;
    static constexpr int of_a = (tile_m * depth + threads - 1) / threads;
    static constexpr int of_b = (tile_n * depth + threads - 1) / threads;
    struct Shared {
        T a[depth][tile_m + 1], b[depth][tile_n + 1];
    };
    struct Slab {
        T a[of_a], b[of_b];
    };

    /// The tile of g that begins at (row, col); the same for all threads of it.
    __device__ static void run(const Product<T>& g, int row, int col, Shared& shared) {
        if (row >= g.m || col >= g.n) return;
        const int thread = threadIdx.x, lane = thread % 32, warp = thread / 32;
        const int i0 = warp % wr * (8 * tm) + lane % 8, j0 = warp / wr * (4 * tn) + lane / 8;
        Sum sum[tm][tn] = {};
        Slab slab;
        if (g.k > 0) load(slab, g, row, col, 0, thread);
        for (int l = 0; l < g.k; l += depth) {
            put(slab, g, shared, thread);
            __syncthreads();
            if (l + depth < g.k) load(slab, g, row, col, l + depth, thread);
#pragma unroll
            for (int q = 0; q < depth; ++q) {
                Sum b[tn];
#pragma unroll
                for (int j = 0; j < tn; ++j) {
                    b[j] = N::load(shared.b[q][j0 + 4 * j]);
                    if (g.conj_b) b[j] = N::conj(b[j]);
                }
#pragma unroll
                for (int i = 0; i < tm; ++i) {
                    Sum a = N::load(shared.a[q][i0 + 8 * i]);
                    if (g.conj_a) a = N::conj(a);
#pragma unroll
                    for (int j = 0; j < tn; ++j) N::add(sum[i][j], a, b[j]);
                }
            }
            __syncthreads();
        }
        store(g, row + i0, col + j0, sum);
    }

  private:
    /// Thread `at` of the tile takes element `at` of a slab, then at + threads and so on, along the
    /// way that the matrix is stored.
    struct Place {
        int along, deep;
    };
    __device__ static Place place(int at, bool is_deep, int width) {
        return is_deep ? Place{at / depth, at % depth} : Place{at % width, at / width};
    }

    __device__ static void load(Slab& slab, const Product<T>& g, int row, int col, int l,
                                int thread) {
#pragma unroll
        for (int e = 0; e < of_a; ++e) {
            const Place p = place(thread + e * threads, g.a_row != 1, tile_m);
            const bool in = p.deep < depth && row + p.along < g.m && l + p.deep < g.k;
            slab.a[e] = in ? g.a[(row + p.along) * g.a_row + (l + p.deep) * g.a_col] : T{};
        }
#pragma unroll
        for (int e = 0; e < of_b; ++e) {
            const Place p = place(thread + e * threads, g.b_row == 1, tile_n);
            const bool in =
                p.deep < depth && p.along < tile_n && col + p.along < g.n && l + p.deep < g.k;
            slab.b[e] = in ? g.b[(l + p.deep) * g.b_row + (col + p.along) * g.b_col] : T{};
        }
    }

    __device__ static void put(const Slab& slab, const Product<T>& g, Shared& shared, int thread) {
#pragma unroll
        for (int e = 0; e < of_a; ++e) {
            const Place p = place(thread + e * threads, g.a_row != 1, tile_m);
            if (p.deep < depth && p.along < tile_m) shared.a[p.deep][p.along] = slab.a[e];
        }
#pragma unroll
        for (int e = 0; e < of_b; ++e) {
            const Place p = place(thread + e * threads, g.b_row == 1, tile_n);
            if (p.deep < depth && p.along < tile_n) shared.b[p.deep][p.along] = slab.b[e];
        }
    }

    __device__ static void store(const Product<T>& g, int row, int col, const Sum (&sum)[tm][tn]) {
        T* out = g.c + row + col * g.ldc;
        const bool reads = !N::is_zero(g.beta);
#pragma unroll
        for (int j = 0; j < tn; ++j) {
            T old[tm];
#pragma unroll
            for (int i = 0; i < tm; ++i)
                if (reads && row + 8 * i < g.m && col + 4 * j < g.n)
                    old[i] = out[8 * i + 4 * j * g.ldc];
#pragma unroll
            for (int i = 0; i < tm; ++i) {
                if (row + 8 * i >= g.m || col + 4 * j >= g.n) continue;
                Sum value = g.k > 0 ? N::times(g.alpha, sum[i][j]) : Sum{};
                if (reads) value = N::plus(value, N::scaled(g.beta, N::load(old[i])));
                out[8 * i + 4 * j * g.ldc] = N::store(value);
            }
        }
    }
};

/// Tiles that a Source names, each by the threads of a block.
template <class Tile, class T, class Source>
__global__ void __launch_bounds__(Tile::threads)
    fma_kernel(const __grid_constant__ Batch x, const __grid_constant__ Source source,
               const __grid_constant__ Gate gate = {}) {
    if (is_shut(gate)) return;
    extern __shared__ __align__(16) unsigned char memory[];
    auto& shared = *reinterpret_cast<typename Tile::Shared*>(memory);
    source.begin();
    const index_t count = source.count(x);
    for (index_t w = blockIdx.x; w < count; w += gridDim.x) {
        const TileOf at = source.template get<Tile>(x, w);
        Tile::run(product_of<T, Source::shapes>(x, at.product), at.row, at.col, shared);
    }
    Source::end();
}

}  // namespace gemmill::batch
