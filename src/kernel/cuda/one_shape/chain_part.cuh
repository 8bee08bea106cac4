// SPDX-License-Identifier: Apache-2.0
// What a thread does of a chain (chain.cuh): which elements it reads, multiplies and writes.
#pragma once

#include <algorithm>

#include "kernel/cuda/part/pack.cuh"
#include "kernel/cuda/part/product.cuh"

namespace gemmill::batch {

/// Threads along an edge.
constexpr int threads_along(int edge, int count, int width) {
    return (edge / width + count / width - 1) / (count / width);
}

/// A thread makes tm x tn elements of C. single: they are read one by one, whatever the sizes.
template <class T_, int tm_, int tn_, int threads_, int stages_, bool single_ = false>
struct ChainTile {
    using T = T_;
    static constexpr int tm = tm_, tn = tn_, threads = threads_, stages = stages_;
    static constexpr bool single = single_;
    static constexpr bool ahead = single && sizeof(T) < 16;  // what is next has registers
    static_assert(single || (tm * sizeof(T) % 16 == 0 && tn * sizeof(T) % 16 == 0), "packs");
    /// Most elements of A, B and C in a stage: for squares, as many as the threads can make.
    static constexpr int room = 3 * threads * tm * tn;
    static constexpr std::size_t bytes = sizeof(T) * room * stages;
    /// On a multiprocessor, as its shared memory allows; 512 threads are enough.
    static constexpr int fitting = static_cast<int>((228 << 10) / (bytes + 1024));
    static constexpr int blocks = std::clamp(fitting, 1, 512 / threads);
};
/// For sizes that packs do not divide, and elements that are packs. Other blocks of the
/// multiprocessor multiply while one waits for its only stage.
template <class T, int tm, int tn, int threads>
using SingleTile = ChainTile<T, tm, tn, threads, 1, true>;

/// What is the same for all blocks.
struct ChainPlan {
    int products;    // of a stage
    int a, b, c;     // elements of a matrix
    int b_at, c_at;  // where those of B and C begin in a stage; A at 0
    int room;        // elements of a stage
    int down, each;  // threads along a column of C, and of a product
};

/// The elements along an edge of C that a thread has: `width` that follow one another, and as many
/// again at a distance.
template <int width>
struct Places {
    int first, step, edge;
    __device__ Places(int number, int numbers, int edge_)
        : first(number), step(numbers), edge(edge_) {}
    __device__ int operator[](int e) const {
        return (first + e / width * step) * width + e % width;
    }
    __device__ bool has(int e) const { return (*this)[e] < edge; }
};
/// All that follow one another, so that one address serves them. The last thread begins earlier
/// rather than outside: what others have it only reads.
template <int count>
struct Following {
    int first, from, edge;
    __device__ Following(int number, int, int edge_)
        : first(number), from(max(min(number * count, edge_ - count), 0)), edge(edge_) {}
    __device__ int operator[](int e) const { return from + e; }
    __device__ bool has(int e) const { return from + e >= first * count && from + e < edge; }
};

/// What a thread reads of op(A) or op(B): `count` elements along the edge for each k, `many` at a
/// time. along: those of the edge are contiguous, not those of k.
template <class T, int count, int many, bool along>
struct ChainOperand {
    using Sum = typename Number<T>::Sum;
    using Values = Sum[many][count];
    static constexpr int wide = along ? many : 1, deep = along ? many : 1;
    int at[count / wide], ld;

    /// Elements outside are read where the last ones are: they meet no element of C.
    template <int width>
    __device__ ChainOperand(const Places<width>& places, int ld_) : ld(ld_) {
#pragma unroll
        for (int v = 0; v < count; v += wide)
            at[v / wide] = min(places[v], places.edge - wide) * (along ? 1 : ld);
    }
    __device__ ChainOperand(const Following<count>& places, int ld_) : ld(ld_) {
#pragma unroll
        for (int v = 0; v < count; ++v) at[v] = places[0] * (along ? 1 : ld) + v * (along ? 1 : ld);
    }
    /// For l and the following of k.
    __device__ void load(Values& to, const T* from, int l, bool conj) const {
#pragma unroll
        for (int v = 0; v < count; v += wide)
#pragma unroll
            for (int q = 0; q < deep; ++q) {
                const auto pack = *reinterpret_cast<const Pack<T, many>*>(
                    from + at[v / wide] + (along ? (l + q) * ld : l));
#pragma unroll
                for (int e = 0; e < many; ++e) {
                    const Sum value = Number<T>::load(pack.x[e]);
                    (along ? to[q][v + e] : to[e][v]) = conj ? Number<T>::conj(value) : value;
                }
            }
    }
};

/// A thread's tile, of the same product of every stage. m, n and k are multiples of `many`.
///
/// Neighbours read different banks. Where A is transposed, tiles below one another would read it an
/// even distance apart. If that is an odd number of accesses a column, the neighbours are beside
/// one another instead. If not, each begins with another k, which makes the distance odd; what they
/// then read of a transposed B is in different rows, so each has another column, too.
template <class Tile, int many, bool trans_a, bool trans_b>
struct ChainPart {
    using T = typename Tile::T;
    using N = Number<T>;
    using OfA = ChainOperand<T, Tile::tm, many, !trans_a>;
    using OfB = ChainOperand<T, Tile::tn, many, trans_b>;
    using Rows = std::conditional_t<Tile::single, Following<Tile::tm>, Places<many>>;
    using Cols = std::conditional_t<Tile::single, Following<Tile::tn>, Places<trans_b ? many : 1>>;
    using Sums = typename N::Sum[Tile::tn][Tile::tm];
    static constexpr bool may_turn = trans_a && sizeof(T) * many == 16;
    static constexpr int unrolled = Tile::single && sizeof(T) == 16 ? 2 : 4 / many;
    Rows rows;
    Cols cols;
    OfA of_a;
    OfB of_b;
    int first;  // of k

    /// Number `at` of plan.each.
    __device__ ChainPart(const Product<T>& g, const ChainPlan& plan, int at)
        : rows(beside(g) ? at / right(plan) : at % plan.down, plan.down, g.m),
          cols(column(g, plan, at), right(plan), g.n),
          of_a(rows, trans_a ? g.k : g.m),
          of_b(cols, trans_b ? g.n : g.k),
          first(turns(g) ? rows.first * many % g.k : 0) {}

    __device__ void multiply(Sums& sum, const Product<T>& g, const T* a, const T* b) const {
        if (turns(g))
            multiply<may_turn>(sum, g, a, b);
        else
            multiply<false>(sum, g, a, b);
    }

    /// old: the elements of C before, if they are needed. Those of a column are read before the one
    /// beside it is written, which may be where they lie.
    __device__ void finish(const Sums& sum, const Product<T>& g, const T* old, T* c) const {
        const bool reads = !N::is_zero(g.beta);
        using Column = Pack<T, many>[Tile::tm / many];
        Column column, next;
        const auto read = [&](Column& to, int j) {
#pragma unroll
            for (int i = 0; i < Tile::tm; i += many)
                if (reads && rows.has(i) && cols.has(j))
                    to[i / many] =
                        *reinterpret_cast<const Pack<T, many>*>(old + rows[i] + cols[j] * g.m);
        };
        read(next, 0);
#pragma unroll
        for (int j = 0; j < Tile::tn; ++j) {
#pragma unroll
            for (int i = 0; i < Tile::tm / many; ++i) column[i] = next[i];
            if (j + 1 < Tile::tn) read(next, j + 1);
#pragma unroll
            for (int i = 0; i < Tile::tm; i += many) {
                Pack<T, many>& pack = column[i / many];
#pragma unroll
                for (int e = 0; e < many; ++e) {
                    auto value = g.k > 0 ? N::times(g.alpha, sum[j][i + e]) : typename N::Sum{};
                    if (reads) value = N::plus(value, N::scaled(g.beta, N::load(pack.x[e])));
                    pack.x[e] = N::store(value);
                }
                if (rows.has(i) && cols.has(j))
                    *reinterpret_cast<Pack<T, many>*>(c + rows[i] + cols[j] * g.m) = pack;
            }
        }
    }

  private:
    __device__ static bool beside(const Product<T>& g) {
        return !Tile::single && trans_a && g.k / many % 2 == 1;
    }
    __device__ static bool turns(const Product<T>& g) {
        return may_turn && (Tile::single ? g.k % 2 == 0 : !beside(g)) && g.k > 0;
    }
    __device__ static int right(const ChainPlan& plan) { return plan.each / plan.down; }
    __device__ static int column(const Product<T>& g, const ChainPlan& plan, int at) {
        if (beside(g)) return at % right(plan);
        const int more = trans_b && turns(g) && g.n % 2 == 0 ? at % plan.down : 0;
        return (at / plan.down + more) % right(plan);
    }

    struct Values {
        typename OfA::Values a;
        typename OfB::Values b;
    };
    __device__ void load(Values& to, const Product<T>& g, const T* a, const T* b, int l) const {
        of_a.load(to.a, a, l, g.conj_a);
        of_b.load(to.b, b, l, g.conj_b);
    }
    /// ahead: what is next is read while this is multiplied. Past the last k is other memory.
    template <bool turned>
    __device__ void multiply(Sums& sum, const Product<T>& g, const T* a, const T* b) const {
        int l = turned ? first : 0;
        Values now, next;
        if (Tile::ahead && g.k > 0) load(next, g, a, b, l);
#pragma unroll(unrolled)
        for (int done = 0; done < g.k; done += many) {
            if (Tile::ahead)
                now = next;
            else
                load(now, g, a, b, l);
            l += many;
            if (turned && l == g.k) l = 0;
            if (Tile::ahead) load(next, g, a, b, l);
#pragma unroll
            for (int q = 0; q < many; ++q)
#pragma unroll
                for (int j = 0; j < Tile::tn; ++j)
#pragma unroll
                    for (int i = 0; i < Tile::tm; ++i) N::add(sum[j][i], now.a[q][i], now.b[q][j]);
        }
    }
};

}  // namespace gemmill::batch
