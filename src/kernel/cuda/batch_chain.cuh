// SPDX-License-Identifier: Apache-2.0
// Small products that lie one behind the other without gaps, by multiply-adds: a block copies the
// matrices of several at once, whatever their borders, and may be some stages ahead. So 16 bytes at
// a time are copied for every size, and memory is as busy as with a copy. Every thread has its own
// tile of C, the same one of every stage.
#pragma once

#include <algorithm>

#include "kernel/cuda/batch_feed.cuh"
#include "kernel/cuda/batch_tiny.cuh"

namespace gemmill::batch {

/// Threads along a column of C, and of a product; 0: it is too large.
struct ChainShare {
    int down, each;
};
/// Threads along an edge.
constexpr int threads_along(int edge, int count, int width) {
    return (edge / width + count / width - 1) / (count / width);
}

template <class Tile, int many, bool trans_a, bool trans_b>
struct ChainPart;

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
    template <int many, bool trans_a, bool trans_b>
    using Part = ChainPart<ChainTile, many, trans_a, trans_b>;

    static constexpr ChainShare share(int m, int n, int many, bool trans_b) {
        const int down = threads_along(m, tm, many);
        return {down, down * threads_along(n, tn, trans_b ? many : 1)};
    }
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
                    if (reads) value = N::plus(value, N::times(g.beta, N::load(pack.x[e])));
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

/// Elements of a matrix up to the last that a thread of a single tile reads: it has `count` along
/// the edge whatever the edge is.
template <class Tile>
constexpr index_t reach(index_t edge, int count, index_t k, bool along) {
    constexpr int more = Tile::ahead ? 1 : 0;  // of k
    const index_t most = std::max<index_t>(edge, count);
    return along ? (k - 1 + more) * edge + most : most * k + more;
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
    const ChainShare share =
        Tile::share(static_cast<int>(m), static_cast<int>(n), many, x.op_b.all != Op::NoTrans);
    p.down = share.down, p.each = share.each;
    if (p.each == 0) return {};
    // Where matrices begin anywhere, there is room for what lies before the first.
    constexpr int spare = many == 1 ? whole - 1 : 0;
    const auto whole_of = [&](index_t elements) {
        return static_cast<int>((elements + spare + whole - 1) / whole * whole);
    };
    // What is read past A and B is not C, which others write.
    const bool turned_a = x.op_a.all != Op::NoTrans, turned_b = x.op_b.all != Op::NoTrans;
    const index_t of_a = Tile::single ? reach<Tile>(m, Tile::tm, k, !turned_a) : p.a;
    const index_t of_b = Tile::single ? reach<Tile>(n, Tile::tn, k, turned_b) : p.b;
    const index_t past = std::max<index_t>(0, of_b - p.b), room = Tile::room - 6 * spare - past;
    p.products = static_cast<int>(
        std::min<index_t>(Tile::threads / p.each, room / std::max(1, p.a + p.b + p.c)));
    if (p.products <= 0) return {};
    p.b_at = whole_of(p.products * p.a);
    p.c_at = std::max(p.b_at + whole_of(p.products * p.b + past),
                      whole_of((p.products - 1) * p.a + of_a));
    p.room = p.c_at + whole_of(p.products * p.c);
    if (p.room > Tile::room) return {};
    return p;
}

/// f<many>() with as many elements at a time as the sizes and the tile allow.
template <class Tile, class F>
auto with_many(const Batch& x, F f) {
    constexpr int whole = 16 / static_cast<int>(sizeof(typename Tile::T));
    constexpr int most = Tile::single ? 1 : whole;
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
    constexpr int whole = 16 / static_cast<int>(sizeof(T)), size = static_cast<int>(sizeof(T));
    const int all = shift + elements, end = all / whole * whole;
    from -= shift;
#pragma unroll 4
    for (int e = own_thread() * whole; e < end; e += threads * whole)
        copy_ahead<16>(to + e, from + e, 16);
    // What 16 bytes would read past the last belongs to somebody else.
    const int rest = end + own_thread();
    if (rest < all) copy_ahead<size>(to + rest, from + rest, size);
}
/// Back, without those before them.
template <int threads, class T>
__device__ void write_chain(T* to, const T* from, int shift, int elements) {
    constexpr int whole = 16 / static_cast<int>(sizeof(T));
    const int all = shift + elements, begin = shift > 0 ? whole : 0, end = all / whole * whole;
    to -= shift;
#pragma unroll 4
    for (int e = begin + own_thread() * whole; e < end; e += threads * whole)
        *reinterpret_cast<Pack<T, whole>*>(to + e) =
            *reinterpret_cast<const Pack<T, whole>*>(from + e);
    const int own = own_thread();
    if (own >= shift && own < min(begin, all)) to[own] = from[own];
    if (own < all - max(begin, end)) to[max(begin, end) + own] = from[max(begin, end) + own];
}

template <class Tile, int many, bool trans_a, bool trans_b>
__global__ void __launch_bounds__(Tile::threads, Tile::blocks)
    chain_kernel(const __grid_constant__ Batch x, const __grid_constant__ ChainPlan plan) {
    using T = typename Tile::T;
    using Part = typename Tile::template Part<many, trans_a, trans_b>;
    constexpr int threads = Tile::threads, stages = Tile::stages;
    constexpr int long_column = 16;  // written at once where it belongs
    extern __shared__ __align__(16) unsigned char memory[];
    T* const shared = reinterpret_cast<T*>(memory);
    const Product<T> g = product_of<T, Shapes::one>(x, 0);
    const int own = static_cast<int>(threadIdx.x) / plan.each;
    const Part part(g, plan, static_cast<int>(threadIdx.x) % plan.each);
    const bool at_once = !Tile::single && sizeof(T) * many == 16 && g.m >= long_column;

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
    for (int s = 0; s < stages - 1; ++s, ahead += gridDim.x) bring(shared + s * plan.room, ahead);
    int at = 0;
    for (index_t chunk = blockIdx.x; chunk < chunks; chunk += gridDim.x, ahead += gridDim.x) {
        T *const stage = shared + at * plan.room, *const c = stage + plan.c_at;
        if constexpr (stages == 1) {
            __syncthreads();
            bring(stage, chunk);
            wait_for_copies<0>();
            __syncthreads();
        } else {
            wait_for_copies<stages - 2>();
            __syncthreads();
            bring(shared + (at == 0 ? stages - 1 : at - 1) * plan.room, ahead);
        }
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
