// SPDX-License-Identifier: Apache-2.0
// Chains by the FP64 tensor cores: complex doubles of sizes for which multiply-adds, or reads of
// shared memory, would take as long as the memory does.
#pragma once

#include "kernel/cuda/batch_chain.cuh"
#include "kernel/cuda/batch_mma.cuh"

namespace gemmill::batch {

template <class Tile, bool trans_a, bool trans_b>
struct ChainMmaPart;

/// Each product by `warps` warps, which have mt x nt fragments of C each, rows in turn. blocks: on
/// a multiprocessor.
template <class T_, int mt_, int nt_, int warps_, int threads_, int blocks_>
struct ChainMmaTile {
    using T = T_;
    static constexpr int mt = mt_, nt = nt_, warps = warps_, threads = threads_, blocks = blocks_;
    static constexpr int tm = 1, tn = 1, stages = 1;  // nothing outside is read
    static constexpr bool single = true, ahead = false;
    static constexpr int tile_m = 8 * mt * warps, tile_n = 8 * nt;
    static constexpr int room = 3 * tile_m * tile_n * (threads / 32 / warps);
    static constexpr std::size_t bytes = sizeof(T) * room;
    template <int many, bool trans_a, bool trans_b>
    using Part = ChainMmaPart<ChainMmaTile, trans_a, trans_b>;

    static constexpr ChainShare share(int m, int n, int, bool) {
        return {1, m <= tile_m && n <= tile_n ? 32 * warps : 0};
    }
};

/// Of eight k in turn a lane has two that are neighbours, so that those of different lanes, and odd
/// columns, are in different banks.
template <class Tile, bool trans_a, bool trans_b>
struct ChainMmaPart {
    using T = typename Tile::T;
    using W = Wide<T>;
    using N = Number<typename W::Number>;
    using F = Fragments<typename W::Number, 8, 4>;
    using Sums = typename F::C[Tile::mt][Tile::nt];
    int warp, group, lane;
    int of_a[Tile::mt], of_b[Tile::nt];

    __device__ ChainMmaPart(const Product<T>& g, const ChainPlan&, int at)
        : warp(at / 32), group(at % 32 / 4), lane(at % 4) {
#pragma unroll
        for (int i = 0; i < Tile::mt; ++i)
            of_a[i] = min(row(i) + group, g.m - 1) * (trans_a ? g.k : 1);
#pragma unroll
        for (int j = 0; j < Tile::nt; ++j)
            of_b[j] = min(8 * j + group, g.n - 1) * (trans_b ? 1 : g.k);
    }

    __device__ void multiply(Sums& sum, const Product<T>& g, const T* a, const T* b) const {
        int l = 0;
        for (; l + 8 <= g.k; l += 8) {
            step(sum, g, a, b, l + 2 * lane, true);
            step(sum, g, a, b, l + 2 * lane + 1, true);
        }
        for (; l < g.k; l += 4) step(sum, g, a, b, l + lane, l + lane < g.k);
    }

    /// old: the elements of C before, if they are needed; where they lie is written.
    __device__ void finish(const Sums& sum, const Product<T>& g, const T* old, T* c) const {
        using S = Wide<typename Product<T>::Sum>;
        const auto alpha = S::load(g.alpha), beta = S::load(g.beta);
        const bool reads = !N::is_zero(beta);
#pragma unroll
        for (int j = 0; j < Tile::nt; ++j) {
            const auto place = [&](int i, int e) {
                return row(i) + group + (8 * j + 2 * lane + e) * g.m;
            };
            const auto is_in = [&](int i, int e) {
                return row(i) + group < g.m && 8 * j + 2 * lane + e < g.n;
            };
            T before[Tile::mt][2];
#pragma unroll
            for (int i = 0; i < Tile::mt; ++i)
#pragma unroll
                for (int e = 0; e < 2; ++e)
                    if (reads && is_in(i, e)) before[i][e] = old[place(i, e)];
#pragma unroll
            for (int i = 0; i < Tile::mt; ++i)
#pragma unroll
                for (int e = 0; e < 2; ++e) {
                    auto value = g.k > 0 ? N::times(alpha, sum[i][j].get(0, e)) : F::zero();
                    if (reads) value = N::plus(value, N::times(beta, W::load(before[i][e])));
                    if (is_in(i, e)) c[place(i, e)] = W::store(value);
                }
        }
    }

  private:
    /// The first of a fragment.
    __device__ int row(int i) const { return 8 * (i * Tile::warps + warp); }
    __device__ void step(Sums& sum, const Product<T>& g, const T* a, const T* b, int l,
                         bool in) const {
        typename F::A of_l[Tile::mt];
        a += l * (trans_a ? 1 : g.m);
        b += l * (trans_b ? g.n : 1);
#pragma unroll
        for (int i = 0; i < Tile::mt; ++i)
            of_l[i].set(0, 0, in ? W::load(a[of_a[i]]) : F::zero(), g.conj_a);
#pragma unroll
        for (int j = 0; j < Tile::nt; ++j) {
            typename F::B to_l;
            to_l.set(0, in ? W::load(b[of_b[j]]) : F::zero(), g.conj_b);
#pragma unroll
            for (int i = 0; i < Tile::mt; ++i) F::multiply(sum[i][j], of_l[i], to_l);
        }
    }
};

}  // namespace gemmill::batch
