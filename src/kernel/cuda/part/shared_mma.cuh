// SPDX-License-Identifier: Apache-2.0
// Products of matrices in shared memory by tensor cores: fewer reads of shared memory and fewer
// instructions than by multiply-adds, where a tile of C is mostly full.
#pragma once

#include "kernel/cuda/part/fragments.cuh"

namespace gemmill::batch {

/// How elements of T become fragments: doubles stand in for all but the 16-bit types.
template <class T, int rows, int depth>
struct SharedFragments : Fragments<typename Wide<T>::Number, rows, depth> {
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
struct SharedFragments<__half, 16, 16> : ShortFragments<__half> {};
template <>
struct SharedFragments<__nv_bfloat16, 16, 16> : ShortFragments<__nv_bfloat16> {};

/// A factor in shared memory: rows of A or columns of B from `first` on, of which there are `size`.
template <class T>
struct SharedFactor {
    const T* data;
    int first, size;
    int edge, step;  // elements from one row of A or column of B to the next, and along k
    bool conj;
};

/// What a lane reads of both factors for mt x nt fragments of rows x 8 elements of C.
template <class Tile>
class SharedFactors {
  public:
    using T = typename Tile::T;
    using F = typename Tile::F;
    using Sums = typename F::C[Tile::mt][Tile::nt];
    static constexpr int mt = Tile::mt, nt = Tile::nt, halves = Tile::rows / 8;

    __device__ SharedFactors(const SharedFactor<T>& a, const SharedFactor<T>& b)
        : a_(a), b_(b), t_(own_thread() % 4) {
        const int group = own_thread() % 32 / 4;
        // The last row or column stands in for those that are not there.
#pragma unroll
        for (int i = 0; i < mt; ++i)
#pragma unroll
            for (int h = 0; h < halves; ++h)
                of_a_[i][h] = min(a.first + i * Tile::rows + h * 8 + group, a.size - 1) * a.edge;
#pragma unroll
        for (int j = 0; j < nt; ++j) of_b_[j] = min(b.first + j * 8 + group, b.size - 1) * b.edge;
    }

    __device__ void multiply(Sums& sum, int k) const {
        int l = 0;
        for (; l + Tile::depth <= k; l += Tile::depth) step<true>(sum, l, k);
        if (l < k) step<false>(sum, l, k);
    }

  private:
    /// One depth of k from l on. Of the last one, what is not there is 0 in A and B: other numbers
    /// may be none.
    template <bool whole>
    __device__ void step(Sums& sum, int l, int k) const {
        typename F::A fa[mt];
        typename F::B fb[nt];
#pragma unroll
        for (int s = 0; s < Tile::depth / 4; ++s) {
            const int at = l + F::k_of(s, t_);
            const bool in = whole || at < k;
#pragma unroll
            for (int i = 0; i < mt; ++i)
#pragma unroll
                for (int h = 0; h < halves; ++h)
                    fa[i].set(s, h, in ? F::load(a_.data[of_a_[i][h] + at * a_.step]) : F::zero(),
                              a_.conj);
#pragma unroll
            for (int j = 0; j < nt; ++j)
                fb[j].set(s, in ? F::load(b_.data[of_b_[j] + at * b_.step]) : F::zero(), b_.conj);
        }
#pragma unroll
        for (int i = 0; i < mt; ++i)
#pragma unroll
            for (int j = 0; j < nt; ++j) F::multiply(sum[i][j], fa[i], fb[j]);
    }

    const SharedFactor<T> a_, b_;
    const int t_;
    int of_a_[mt][halves], of_b_[nt];
};

/// alpha or beta as sums are multiplied by it.
template <class F, class Sum>
__device__ typename F::Value factor_of_sums(Sum x) {
    if constexpr (std::is_same_v<typename F::Value, Sum>)
        return x;
    else
        return Wide<Sum>::load(x);
}

/// A tile of C from (row, col) on, of a part of rows x cols; old values are `line` apart.
template <class T>
struct SharedTarget {
    int row, col, rows, cols;
    const T* old;
    int line;
};

/// beta old + alpha sum, to where columns are `line` apart.
template <class Tile, class G>
__device__ void finish_fragments(const typename SharedFactors<Tile>::Sums& sum, const G& g,
                                 const SharedTarget<typename Tile::T>& at, typename Tile::T* to,
                                 index_t line) {
    using F = typename Tile::F;
    using N = Number<typename F::Value>;
    const auto alpha = factor_of_sums<F>(g.alpha), beta = factor_of_sums<F>(g.beta);
    const bool reads = !N::is_zero(beta);
    const int group = own_thread() % 32 / 4, t = own_thread() % 4;
#pragma unroll
    for (int j = 0; j < Tile::nt; ++j)
#pragma unroll
        for (int e = 0; e < 2; ++e)
#pragma unroll
            for (int i = 0; i < Tile::mt; ++i)
#pragma unroll
                for (int h = 0; h < Tile::rows / 8; ++h) {
                    const int r = at.row + i * Tile::rows + h * 8 + group;
                    const int s = at.col + 8 * j + 2 * t + e;
                    if (r >= at.rows || s >= at.cols) continue;
                    auto value =
                        g.k > 0 ? N::times(alpha, sum[i][j].get(h, e)) : typename F::Value{};
                    if (reads)
                        value = N::plus(value, N::scaled(beta, F::old(at.old[r + s * at.line])));
                    to[r + s * line] = F::store(value);
                }
}

}  // namespace gemmill::batch
