// SPDX-License-Identifier: Apache-2.0
// What a warp does of a product in shared memory (batch_stage.cuh) by tensor cores: fewer reads of
// shared memory and fewer instructions than by multiply-adds, where a tile of C is mostly full.
#pragma once

#include "kernel/cuda/batch_fragments.cuh"
#include "kernel/cuda/batch_stage_part.cuh"

namespace gemmill::batch {

/// How elements of T become fragments: doubles stand in for all but the 16-bit types.
template <class T, int rows, int depth>
struct StageFragments : Fragments<typename Wide<T>::Number, rows, depth> {
    using Value = typename Wide<T>::Number;  // of sums, and of factors
    __device__ static int k_of(int s, int t) { return t + 4 * s; }
    __device__ static Value load(T x) { return Wide<T>::load(x); }
    __device__ static Value old(T x) { return Wide<T>::load(x); }
    __device__ static T store(Value x) { return Wide<T>::store(x); }
};

/// Elements as they are, sums in single precision.
template <class T>
struct ShortFragments {
    static constexpr int halves = 2, steps = 4;
    using Value = float;
    struct A {
        T x[steps][halves];
        __device__ void set(int s, int h, T v, bool) { x[s][h] = v; }
    };
    struct B {
        T x[steps];
        __device__ void set(int s, T v, bool) { x[s] = v; }
    };
    struct C {
        float x[halves][2] = {};
        __device__ float get(int h, int e) const { return x[h][e]; }
    };
    __device__ static T zero() { return T(0.0F); }
    __device__ static void multiply(C& c, const A& a, const B& b) { mma(c.x, a.x, b.x); }
    /// Pairs of neighbours.
    __device__ static int k_of(int s, int t) { return 2 * t + s % 2 + s / 2 * 8; }
    __device__ static T load(T x) { return x; }
    __device__ static float old(T x) { return Number<T>::load(x); }
    __device__ static T store(float x) { return Number<T>::store(x); }
};
template <>
struct StageFragments<__half, 16, 16> : ShortFragments<__half> {};
template <>
struct StageFragments<__nv_bfloat16, 16, 16> : ShortFragments<__nv_bfloat16> {};

template <class Tile>
struct StageMmaPart;

/// A warp makes mt x nt fragments of rows x 8 elements of C.
template <class T_, int rows_, int depth_, int mt_, int nt_, int threads_, int blocks_>
struct StageMmaTile {
    using T = T_;
    using F = StageFragments<T, rows_, depth_>;
    using Part = StageMmaPart<StageMmaTile>;
    static constexpr int rows = rows_, depth = depth_, mt = mt_, nt = nt_;
    static constexpr int tm = rows * mt, tn = 8 * nt, threads = threads_, blocks = blocks_;
    static constexpr int lanes = 32, stages = 1;
    static constexpr bool direct = false;
};

template <class Tile>
struct StageMmaPart {
    using T = typename Tile::T;
    using F = typename Tile::F;
    using Sums = typename F::C[Tile::mt][Tile::nt];
    static constexpr int mt = Tile::mt, nt = Tile::nt, halves = Tile::rows / 8, q = 0;
    const StagePlan& plan;
    int product, row, col, rows, cols, group, t;

    /// Number u of all warps of all products. rows and cols are those of the part of C.
    __device__ StageMmaPart(const StagePlan& plan_, int u, int rows_, int cols_)
        : plan(plan_), rows(rows_), cols(cols_) {
        const int tiles = plan.down * plan.right, lane = own_thread() % 32;
        product = static_cast<int>(quotient(static_cast<unsigned>(u), tiles, plan.by_tiles));
        const int tile = u - product * tiles;
        const auto y =
            static_cast<int>(quotient(static_cast<unsigned>(tile), plan.down, plan.by_down));
        row = (tile - y * plan.down) * Tile::tm, col = y * Tile::tn;
        group = lane / 4, t = lane % 4;
    }

    /// Adds what a slab of k adds.
    __device__ void multiply(Sums& sum, const Product<T>& g, const T* a, const T* b, int k) const {
        // The last row or column stands in for those that are not there.
        int of_a[mt][halves], of_b[nt];
#pragma unroll
        for (int i = 0; i < mt; ++i)
#pragma unroll
            for (int h = 0; h < halves; ++h)
                of_a[i][h] = min(row + i * Tile::rows + h * 8 + group, rows - 1) *
                             (plan.a.along ? 1 : plan.a.line);
#pragma unroll
        for (int j = 0; j < nt; ++j)
            of_b[j] = min(col + j * 8 + group, cols - 1) * (plan.b.along ? 1 : plan.b.line);
        int l = 0;
        for (; l + Tile::depth <= k; l += Tile::depth) step<true>(sum, g, a, b, of_a, of_b, l, k);
        if (l < k) step<false>(sum, g, a, b, of_a, of_b, l, k);
    }
    __device__ void join(Sums&) const {}

    /// C in shared memory is finished, and goes to where columns are `line` apart.
    __device__ void finish(const Sums& sum, const Product<T>& g, const T* c, T* to,
                           index_t line) const {
        using N = Number<typename F::Value>;
        const auto alpha = factor(g.alpha), beta = factor(g.beta);
        const bool reads = !N::is_zero(beta);
#pragma unroll
        for (int j = 0; j < nt; ++j)
#pragma unroll
            for (int e = 0; e < 2; ++e)
#pragma unroll
                for (int i = 0; i < mt; ++i)
#pragma unroll
                    for (int h = 0; h < halves; ++h) {
                        const int r = row + i * Tile::rows + h * 8 + group;
                        const int s = col + 8 * j + 2 * t + e;
                        if (r >= rows || s >= cols) continue;
                        auto value =
                            g.k > 0 ? N::times(alpha, sum[i][j].get(h, e)) : typename F::Value{};
                        if (reads)
                            value = N::plus(value, N::scaled(beta, F::old(c[r + s * plan.c.line])));
                        to[r + s * line] = F::store(value);
                    }
    }

  private:
    __device__ static typename F::Value factor(typename Number<T>::Sum x) {
        if constexpr (std::is_same_v<typename F::Value, typename Number<T>::Sum>)
            return x;
        else
            return Wide<typename Number<T>::Sum>::load(x);
    }
    /// One depth of k from l on. Of the last one, what is not there is 0 in A and B: other numbers
    /// may be none.
    template <bool whole>
    __device__ void step(Sums& sum, const Product<T>& g, const T* a, const T* b,
                         const int (&of_a)[mt][halves], const int (&of_b)[nt], int l, int k) const {
        const int a_step = plan.a.along ? plan.a.line : 1, b_step = plan.b.along ? plan.b.line : 1;
        typename F::A fa[mt];
        typename F::B fb[nt];
#pragma unroll
        for (int s = 0; s < Tile::depth / 4; ++s) {
            const int at = l + F::k_of(s, t);
            const bool in = whole || at < k;
#pragma unroll
            for (int i = 0; i < mt; ++i)
#pragma unroll
                for (int h = 0; h < halves; ++h)
                    fa[i].set(s, h, in ? F::load(a[of_a[i][h] + at * a_step]) : F::zero(),
                              g.conj_a);
#pragma unroll
            for (int j = 0; j < nt; ++j)
                fb[j].set(s, in ? F::load(b[of_b[j] + at * b_step]) : F::zero(), g.conj_b);
        }
#pragma unroll
        for (int i = 0; i < mt; ++i)
#pragma unroll
            for (int j = 0; j < nt; ++j) F::multiply(sum[i][j], fa[i], fb[j]);
    }
};

}  // namespace gemmill::batch
