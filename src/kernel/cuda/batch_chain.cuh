// SPDX-License-Identifier: Apache-2.0
// Small products that lie one behind the other without gaps, by multiply-adds: a block copies the
// matrices of several at once, whatever their borders, and some stages ahead. So 16 bytes at a time
// are copied for every size, and memory is as busy as with a copy. Every thread has its own tile of
// C, the same one of every stage.
#pragma once

#include <algorithm>

#include "kernel/cuda/batch_feed.cuh"
#include "kernel/cuda/batch_tiny.cuh"

namespace gemmill::batch {

/// A thread makes tm x tn elements of C.
template <class T_, int tm_, int tn_, int threads_, int stages_>
struct ChainTile {
    using T = T_;
    static constexpr int tm = tm_, tn = tn_, threads = threads_, stages = stages_;
    /// Elements of A, B and C in a stage: for squares, as many as the threads can make.
    static constexpr int room = 3 * threads * tm * tn;
    static constexpr std::size_t bytes = sizeof(T) * room * stages;
};

/// What is the same for all blocks.
struct ChainPlan {
    int products;    // of a stage
    int a, b, c;     // elements of a matrix
    int b_at, c_at;  // where those of B and C begin in a stage; A at 0
    int down, each;  // threads along a column of C, and of a product
};

/// The elements along an edge of C that a thread has: `width` that follow one another, and as many
/// again at a distance.
template <int width>
struct Places {
    int first, step;
    __device__ int operator[](int e) const {
        return (first + e / width * step) * width + e % width;
    }
};

/// Threads along an edge.
constexpr int threads_along(int edge, int count, int width) {
    return (edge / width + count / width - 1) / (count / width);
}

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
    __device__ ChainOperand(const Places<width>& places, int edge, int ld_) : ld(ld_) {
#pragma unroll
        for (int v = 0; v < count; v += wide)
            at[v / wide] = min(places[v], edge - wide) * (along ? 1 : ld);
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
    using Sums = typename N::Sum[Tile::tn][Tile::tm];
    static constexpr bool may_turn = trans_a && sizeof(T) * many == 16;
    Places<many> rows;
    Places<trans_b ? many : 1> cols;
    OfA of_a;
    OfB of_b;
    int first;  // of k

    /// Number `at` of plan.each.
    __device__ ChainPart(const Product<T>& g, const ChainPlan& plan, int at)
        : rows{beside(g) ? at / right(plan) : at % plan.down, plan.down},
          cols{column(g, plan, at), right(plan)},
          of_a(rows, g.m, trans_a ? g.k : g.m),
          of_b(cols, g.n, trans_b ? g.n : g.k),
          first(turns(g) ? rows.first * many % g.k : 0) {}

    __device__ void multiply(Sums& sum, const Product<T>& g, const T* a, const T* b) const {
        int l = first;
#pragma unroll(4 / many)
        for (int done = 0; done < g.k; done += many) {
            typename OfA::Values of_l;
            typename OfB::Values to_l;
            of_a.load(of_l, a, l, g.conj_a);
            of_b.load(to_l, b, l, g.conj_b);
#pragma unroll
            for (int q = 0; q < many; ++q)
#pragma unroll
                for (int j = 0; j < Tile::tn; ++j)
#pragma unroll
                    for (int i = 0; i < Tile::tm; ++i) N::add(sum[j][i], of_l[q][i], to_l[q][j]);
            l += many;
            if (may_turn && l == g.k) l = 0;
        }
    }

    /// old: the elements of C before, if they are needed.
    __device__ void finish(const Sums& sum, const Product<T>& g, const T* old, T* c) const {
        const bool reads = !N::is_zero(g.beta);
#pragma unroll
        for (int j = 0; j < Tile::tn; ++j) {
            if (cols[j] >= g.n) continue;
#pragma unroll
            for (int i = 0; i < Tile::tm; i += many) {
                if (rows[i] >= g.m) continue;
                const int place = rows[i] + cols[j] * g.m;
                Pack<T, many> pack;
                if (reads) pack = *reinterpret_cast<const Pack<T, many>*>(old + place);
#pragma unroll
                for (int e = 0; e < many; ++e) {
                    auto value = g.k > 0 ? N::times(g.alpha, sum[j][i + e]) : typename N::Sum{};
                    if (reads) value = N::plus(value, N::times(g.beta, N::load(pack.x[e])));
                    pack.x[e] = N::store(value);
                }
                *reinterpret_cast<Pack<T, many>*>(c + place) = pack;
            }
        }
    }

  private:
    __device__ static bool beside(const Product<T>& g) { return trans_a && g.k / many % 2 == 1; }
    __device__ static bool turns(const Product<T>& g) { return may_turn && !beside(g) && g.k > 0; }
    __device__ static int right(const ChainPlan& plan) { return plan.each / plan.down; }
    __device__ static int column(const Product<T>& g, const ChainPlan& plan, int at) {
        if (beside(g)) return at % right(plan);
        const int more = trans_b && turns(g) && g.n % 2 == 0 ? at % plan.down : 0;
        return (at / plan.down + more) % right(plan);
    }
};

/// Whether matrices lie one behind the other, where 16 bytes can be copied from.
inline bool is_chain(const BatchMatrix& of, index_t rows, index_t cols) {
    return of.array == nullptr && of.ld.all == std::max<index_t>(1, rows) &&
           of.stride == rows * cols && reinterpret_cast<std::uintptr_t>(of.data) % 16 == 0;
}
inline bool is_chain(const Batch& x) {
    const auto stored = [](const BatchMatrix& of, Op op, index_t rows, index_t cols) {
        return op == Op::NoTrans ? is_chain(of, rows, cols) : is_chain(of, cols, rows);
    };
    return stored(x.a, x.op_a.all, x.m.all, x.k.all) && stored(x.b, x.op_b.all, x.k.all, x.n.all) &&
           is_chain(x.c, x.m.all, x.n.all);
}

/// No products: they are too large, or empty.
template <class Tile, int many>
ChainPlan chain_plan(const Batch& x) {
    constexpr int whole = 16 / static_cast<int>(sizeof(typename Tile::T));
    const index_t m = x.m.all, n = x.n.all, k = x.k.all;
    if (m == 0 || n == 0 || std::max({m, n, k}) > Tile::room || m * k + k * n + m * n > Tile::room)
        return {};
    ChainPlan p{};
    p.a = static_cast<int>(m * k), p.b = static_cast<int>(k * n), p.c = static_cast<int>(m * n);
    p.down = threads_along(static_cast<int>(m), Tile::tm, many);
    p.each =
        p.down * threads_along(static_cast<int>(n), Tile::tn, x.op_b.all == Op::NoTrans ? 1 : many);
    // Where matrices begin anywhere, there is room for what lies before the first.
    constexpr int spare = many == 1 ? whole - 1 : 0;
    const auto room_for = [&](int each) {
        return (p.products * each + spare + whole - 1) / whole * whole;
    };
    p.products =
        std::min(Tile::threads / p.each, (Tile::room - 6 * spare) / std::max(1, p.a + p.b + p.c));
    p.b_at = room_for(p.a);
    p.c_at = p.b_at + room_for(p.b);
    return p;
}

/// f<many>() with as many elements at a time as the sizes and the tile allow.
template <class Tile, class F>
auto with_many(const Batch& x, F f) {
    constexpr int whole = 16 / static_cast<int>(sizeof(typename Tile::T));
    constexpr int most = Tile::tm % whole == 0 && Tile::tn % whole == 0 ? whole : 1;
    const auto divides = [&](int many) {
        return x.m.all % many == 0 && x.n.all % many == 0 && x.k.all % many == 0;
    };
    if (divides(most)) return f.template operator()<most>();
    if constexpr (most > 2)
        if (divides(2)) return f.template operator()<2>();
    return f.template operator()<1>();
}

/// How far behind an address of 16 bytes elements begin.
template <int many, class T>
__device__ int shift_of(const T* from) {
    if (many > 1 || sizeof(T) == 16) return 0;
    return static_cast<int>(reinterpret_cast<std::uintptr_t>(from) % 16 / sizeof(T));
}

/// Copies contiguous elements and those `shift` before them, 16 bytes at a time.
template <int threads, class T>
__device__ void copy_chain(T* to, const T* from, int shift, int elements) {
    constexpr int whole = 16 / static_cast<int>(sizeof(T));
    const int all = shift + elements;
    from -= shift;
    for (int e = own_thread() * whole; e < all; e += threads * whole)
        copy_ahead<16>(to + e, from + e, min(whole, all - e) * static_cast<int>(sizeof(T)));
}
/// Back, without those before them.
template <int threads, class T>
__device__ void write_chain(T* to, const T* from, int shift, int elements) {
    constexpr int whole = 16 / static_cast<int>(sizeof(T));
    const int all = shift + elements;
    to -= shift;
    for (int e = own_thread() * whole; e < all; e += threads * whole) {
        if (e >= shift && e + whole <= all)
            *reinterpret_cast<Pack<T, whole>*>(to + e) =
                *reinterpret_cast<const Pack<T, whole>*>(from + e);
        else
            for (int i = max(e, shift); i < min(e + whole, all); ++i) to[i] = from[i];
    }
}

template <class Tile, int many, bool trans_a, bool trans_b>
__global__ void __launch_bounds__(Tile::threads, 512 / Tile::threads)
    chain_kernel(const __grid_constant__ Batch x, const __grid_constant__ ChainPlan plan) {
    using T = typename Tile::T;
    using Part = ChainPart<Tile, many, trans_a, trans_b>;
    constexpr int threads = Tile::threads, stages = Tile::stages;
    constexpr int long_column = 16;  // written at once where it belongs
    extern __shared__ __align__(16) unsigned char memory[];
    T* const shared = reinterpret_cast<T*>(memory);
    const Product<T> g = product_of<T, Shapes::one>(x, 0);
    const int own = static_cast<int>(threadIdx.x) / plan.each;
    const Part part(g, plan, static_cast<int>(threadIdx.x) % plan.each);
    const bool at_once = sizeof(T) * many == 16 && g.m >= long_column;

    const index_t chunks = (x.count + plan.products - 1) / plan.products;
    const auto products_of = [&](index_t chunk) {
        return static_cast<int>(min(x.count - chunk * plan.products, index_t{plan.products}));
    };
    const auto bring = [&](T* stage, index_t chunk) {
        if (chunk < chunks) {
            const index_t first = chunk * plan.products;
            const int products = products_of(chunk);
            const auto copy = [&](T* to, const T* from, int each) {
                from += first * each;
                copy_chain<threads>(to, from, shift_of<many>(from), products * each);
            };
            if (g.k > 0) {
                copy(stage, g.a, plan.a);
                copy(stage + plan.b_at, g.b, plan.b);
            }
            if (!Number<T>::is_zero(g.beta)) copy(stage + plan.c_at, g.c, plan.c);
        }
        end_of_copies();
    };

    index_t ahead = blockIdx.x;
    for (int s = 0; s < stages - 1; ++s, ahead += gridDim.x) bring(shared + s * Tile::room, ahead);
    int at = 0;
    for (index_t chunk = blockIdx.x; chunk < chunks; chunk += gridDim.x, ahead += gridDim.x) {
        T *const stage = shared + at * Tile::room, *const c = stage + plan.c_at;
        wait_for_copies<stages - 2>();
        __syncthreads();
        bring(shared + (at == 0 ? stages - 1 : at - 1) * Tile::room, ahead);
        const int products = products_of(chunk);
        const index_t first = chunk * plan.products;
        T* const to = g.c + first * plan.c;
        const int shift = shift_of<many>(to);
        if (own < products) {
            typename Part::Sums sum = {};
            part.multiply(sum, g, stage + shift_of<many>(g.a + first * plan.a) + own * plan.a,
                          stage + plan.b_at + shift_of<many>(g.b + first * plan.b) + own * plan.b);
            T* const old = c + shift + own * plan.c;
            if (at_once)
                part.finish(sum, g, old, to + own * plan.c);
            else
                part.finish(sum, g, old, old);
        }
        if (!at_once) {
            __syncthreads();
            write_chain<threads>(to, c, shift, products * plan.c);
        }
        at = at + 1 == stages ? 0 : at + 1;
    }
}

}  // namespace gemmill::batch
