// SPDX-License-Identifier: Apache-2.0
// What a block does of a product that lies in its ring (ring.cuh): by multiply-adds, or by
// tensor cores.
#pragma once

#include "kernel/cuda/part/pack.cuh"
#include "kernel/cuda/part/shared_mma.cuh"

namespace gemmill::batch {

/// A matrix of a product: where it is and where it lies in the ring, without gaps.
template <class T>
struct RingMatrix {
    T* data;
    int rows, cols, ld, at;  // at: bytes from the start of the ring

    __device__ bool is_whole() const { return ld == rows; }
    /// As far behind a multiple of 16 bytes as in memory, where it is copied in pieces of 16.
    __device__ int behind() const {
        return is_whole() ? static_cast<int>(reinterpret_cast<std::uintptr_t>(data) & 15) : 0;
    }
    __device__ int elements() const { return rows * cols; }
    __device__ int bytes() const {
        return (elements() * static_cast<int>(sizeof(T)) + 15 + behind()) & ~15;
    }
    __device__ T* in(unsigned char* ring) const {
        return reinterpret_cast<T*>(ring + at + behind());
    }
};

template <class T>
struct RingProduct {
    int k;
    Op op_a, op_b;
    typename Number<T>::Sum alpha, beta;
    RingMatrix<T> a, b, c;
    __device__ int bytes() const { return a.bytes() + b.bytes() + c.bytes(); }
};

/// Bytes of a ring for products of so many elements of A, B and C.
template <class T, int elements_>
struct RingRoom {
    static constexpr int size = static_cast<int>(sizeof(T)), elements = elements_;
    static_assert(elements * size % 16 == 0);
    /// Of the largest product, whose matrices begin and end anywhere in 16 bytes; some more, so
    /// that others find room beside it.
    static constexpr int largest = elements * size + 3 * 2 * 16;
    static constexpr int room = largest + largest / 512 * 16;
};

template <class Tile>
struct RingPart;
template <class Tile>
struct RingMmaPart;

/// A thread makes tm x tn elements of C at a time.
template <class T_, int elements, int tm_, int tn_, int warps, int blocks_>
struct RingTile : RingRoom<T_, elements> {
    using T = T_;
    using Part = RingPart<RingTile>;
    static constexpr int tm = tm_, tn = tn_, threads = 32 * warps, blocks = blocks_;
    static constexpr int past = (tm > tn ? tm : tn) * RingTile::size;  // read, but not used
    static constexpr int bytes = RingTile::room + (past + 15) / 16 * 16;
};

/// A warp makes mt x nt fragments of rows x 8 elements of C at a time.
template <class T_, int elements, int rows_, int depth_, int mt_, int nt_, int warps_, int blocks_>
struct RingMmaTile : RingRoom<T_, elements> {
    using T = T_;
    using F = SharedFragments<T, rows_, depth_>;
    using Part = RingMmaPart<RingMmaTile>;
    static constexpr int rows = rows_, depth = depth_, mt = mt_, nt = nt_;
    static constexpr int warps = warps_, threads = 32 * warps_, blocks = blocks_;
    static constexpr int bytes = RingMmaTile::room;
};

template <class Tile>
struct RingPart {
    using T = typename Tile::T;
    using N = Number<T>;
    static constexpr int tm = Tile::tm, tn = Tile::tn, threads = Tile::threads;

    __device__ static void multiply(const RingProduct<T>& g, unsigned char* ring) {
        const int m = g.c.rows, n = g.c.cols, down = (m + tm - 1) / tm,
                  tiles = down * ((n + tn - 1) / tn);
        const bool turned_a = g.op_a != Op::NoTrans, turned_b = g.op_b != Op::NoTrans;
        for (int u = own_thread(); u < tiles; u += threads) {
            const int y = u / down, x = u - y * down;
            const int row = max(min(x * tm, m - tm), 0), col = max(min(y * tn, n - tn), 0);
            typename N::Sum sum[tn][tm] = {};
            const T* const a = g.a.in(ring) + row * (turned_a ? g.k : 1);
            const T* const b = g.b.in(ring) + col * (turned_b ? 1 : g.k);
            // Lines of k elements would lie in few banks: threads that read along them begin with
            // different ones.
            const int first =
                g.k % 4 == 0 ? ((turned_a ? x : 0) + (turned_b ? 0 : y)) % max(g.k, 1) : 0;
            if (turned_a)
                turned_b ? add<true, true>(sum, g, {a, b, m - row, n - col, first})
                         : add<true, false>(sum, g, {a, b, m - row, n - col, first});
            else
                turned_b ? add<false, true>(sum, g, {a, b, m - row, n - col, first})
                         : add<false, false>(sum, g, {a, b, m - row, n - col, first});
            finish(sum, g, g.c.in(ring), {x * tm, y * tn, row, col});
        }
    }

  private:
    /// Where a tile begins in A and B, how many rows and columns there are from there on, and the
    /// first of k.
    struct Begin {
        const T *a, *b;
        int rows, cols, first;
    };
    /// All of k. What is not turned lies in columns of m, or of k elements. The last row or column
    /// stands in for those that are not there.
    template <bool turned_a, bool turned_b>
    __device__ static void add(typename N::Sum (&sum)[tn][tm], const RingProduct<T>& g,
                               const Begin& begin) {
        const int k = g.k, m = g.c.rows, n = g.c.cols;
        int of_a[tm], of_b[tn];
#pragma unroll
        for (int e = 0; e < tm; ++e) of_a[e] = turned_a ? min(e, begin.rows - 1) * k : e;
#pragma unroll
        for (int e = 0; e < tn; ++e) of_b[e] = turned_b ? e : min(e, begin.cols - 1) * k;
        int l = begin.first, at_a = turned_a ? l : l * m, at_b = turned_b ? l * n : l;
#pragma unroll 2
        for (int i = 0; i < k; ++i) {
            typename N::Sum va[tm], vb[tn];
#pragma unroll
            for (int e = 0; e < tm; ++e) va[e] = N::load(begin.a[at_a + of_a[e]]);
#pragma unroll
            for (int e = 0; e < tn; ++e) vb[e] = N::load(begin.b[at_b + of_b[e]]);
            at_a += turned_a ? 1 : m, at_b += turned_b ? n : 1;
            if (++l == k) l = at_a = at_b = 0;
            if (turned_a && g.op_a == Op::ConjTrans)
#pragma unroll
                for (int e = 0; e < tm; ++e) va[e] = N::conj(va[e]);
            if (turned_b && g.op_b == Op::ConjTrans)
#pragma unroll
                for (int e = 0; e < tn; ++e) vb[e] = N::conj(vb[e]);
#pragma unroll
            for (int j = 0; j < tn; ++j)
#pragma unroll
                for (int e = 0; e < tm; ++e) N::add(sum[j][e], va[e], vb[j]);
        }
    }
    /// What begins at (row, col) has what lies from (first_row, first_col) on.
    struct Place {
        int first_row, first_col, row, col;
    };
    __device__ static void finish(const typename N::Sum (&sum)[tn][tm], const RingProduct<T>& g,
                                  T* c, const Place& at) {
        const bool reads = !N::is_zero(g.beta);
#pragma unroll
        for (int j = 0; j < tn; ++j) {
            if (at.col + j < at.first_col || at.col + j >= g.c.cols) continue;
#pragma unroll
            for (int i = 0; i < tm; ++i) {
                if (at.row + i < at.first_row || at.row + i >= g.c.rows) continue;
                T& out = c[at.row + i + (at.col + j) * g.c.rows];
                auto value = g.k > 0 ? N::times(g.alpha, sum[j][i]) : typename N::Sum{};
                if (reads) value = N::plus(value, N::scaled(g.beta, N::load(out)));
                out = N::store(value);
            }
        }
    }
};

template <class Tile>
struct RingMmaPart {
    using T = typename Tile::T;

    /// Warps take turns with tiles. What of a tile lies outside C is computed and left out: code
    /// for each number of fragments would be so long that it is fetched again and again.
    __device__ static void multiply(const RingProduct<T>& g, unsigned char* ring) {
        constexpr int tm = Tile::mt * Tile::rows, tn = Tile::nt * 8;
        const int m = g.c.rows, n = g.c.cols, down = (m + tm - 1) / tm,
                  tiles = down * ((n + tn - 1) / tn);
        const bool turned_a = g.op_a != Op::NoTrans, turned_b = g.op_b != Op::NoTrans;
        T* const c = g.c.in(ring);
        for (int u = own_thread() / 32; u < tiles; u += Tile::warps) {
            const int y = u / down, row = (u - y * down) * tm, col = y * tn;
            const SharedFactors<Tile> factors({g.a.in(ring), row, m, turned_a ? g.k : 1,
                                               turned_a ? 1 : m, g.op_a == Op::ConjTrans},
                                              {g.b.in(ring), col, n, turned_b ? 1 : g.k,
                                               turned_b ? n : 1, g.op_b == Op::ConjTrans});
            typename SharedFactors<Tile>::Sums sum;
            factors.multiply(sum, g.k);
            finish_fragments<Tile>(sum, g, {row, col, m, n, c, m}, c, m);
        }
    }
};

}  // namespace gemmill::batch
