// SPDX-License-Identifier: Apache-2.0
// Small products that lie one behind the other without gaps, by multiply-adds: a block copies the
// matrices of several at once, whatever their borders, and may be some stages ahead. So 16 bytes at
// a time are copied for every size, and memory is as busy as with a copy. Every thread has its own
// tile of C, the same one of every stage.
#pragma once

#include <algorithm>
#include <cmath>

#include "kernel/batch_work.hpp"
#include "kernel/cuda/one_shape/chain_part.cuh"
#include "kernel/cuda/part/banks.hpp"
#include "kernel/cuda/part/gate.cuh"
#include "kernel/cuda/part/ptx.cuh"

namespace gemmill::batch {

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
    const bool turned_a = x.op_a.all != Op::NoTrans, turned_b = x.op_b.all != Op::NoTrans;
    p.down = threads_along(static_cast<int>(m), Tile::tm, many);
    p.each = p.down * threads_along(static_cast<int>(n), Tile::tn, turned_b ? many : 1);
    // Where matrices begin anywhere, there is room for what lies before the first.
    constexpr int spare = many == 1 ? whole - 1 : 0;
    const auto whole_of = [&](index_t elements) {
        return static_cast<int>((elements + spare + whole - 1) / whole * whole);
    };
    // What is read past A and B is not C, which others write.
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

/// Reads of shared memory of a warp for one k: of A and B, where its lanes read at first
/// (ChainPart).
template <class Tile, int many>
double chain_reads(const Batch& x, const ChainPlan& plan) {
    constexpr int warp = 32, size = sizeof(typename Tile::T);
    const bool trans_a = x.op_a.all != Op::NoTrans, trans_b = x.op_b.all != Op::NoTrans;
    const auto m = static_cast<int>(x.m.all), n = static_cast<int>(x.n.all),
               k = static_cast<int>(x.k.all), right = plan.each / plan.down;
    const bool beside = !Tile::single && trans_a && k / many % 2 == 1;
    const bool turns =
        trans_a && size * many == 16 && k > 0 && (Tile::single ? k % 2 == 0 : !beside);
    const auto place = [&](int lane, bool of_a) {
        const int at = lane % plan.each, down = at % plan.down;
        const int row = beside ? at / right : down, first = turns ? row * many % k : 0;
        const int more = trans_b && turns && n % 2 == 0 ? down : 0;
        const int column = beside ? at % right : (at / plan.down + more) % right;
        const int count = of_a ? Tile::tm : Tile::tn, edge = of_a ? m : n;
        const int number = of_a ? row : column, width = of_a || trans_b ? many : 1;
        const int from =
            Tile::single ? std::max(std::min(number * count, edge - count), 0) : number * width;
        const bool along = of_a ? !trans_a : trans_b;
        return lane / plan.each * (of_a ? plan.a : plan.b) +
               (along ? from + first * edge : from * k + first);
    };
    const int lanes = std::min(warp, plan.products * plan.each);
    const auto reads = [&](bool of_a) {
        return reads_of_warp(lanes, size * many, size, [&](int lane) { return place(lane, of_a); });
    };
    return static_cast<double>(Tile::tm * reads(true) + Tile::tn * reads(false)) / many;
}

/// What a chain has to do: its stages, and steps along k of all threads, by the width of what they
/// read; how much of that is one after the other; and how long shared memory takes.
template <class Tile>
BatchWork chain_work(const Batch& x, int processors) {
    return with_many<Tile>(x, [&]<int many>() {
        const ChainPlan plan = chain_plan<Tile, many>(x);
        BatchWork work;
        if (plan.products == 0) return work;
        const double chunks = static_cast<double>((x.count + plan.products - 1) / plan.products);
        const double each = chunks / processors, rounds = std::ceil(each / Tile::blocks);
        const auto k = static_cast<double>(x.k.all);
        const double one = many == 1 ? 1 : 0;
        const bool apart = x.op_a.all != Op::NoTrans;
        work.bytes = traffic_of(x);
        work.counts = {each,
                       each * k * (1 - one),
                       each * k * one,
                       rounds,
                       rounds * k,
                       each * k * (apart ? one : 0),
                       each * plan.room,
                       each * k * chain_reads<Tile, many>(x, plan)};
        return work;
    });
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
    chain_kernel(const __grid_constant__ Batch x, const __grid_constant__ ChainPlan plan,
                 const __grid_constant__ Gate gate = {}) {
    if (is_shut(gate)) return;
    using T = typename Tile::T;
    using Part = ChainPart<Tile, many, trans_a, trans_b>;
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
