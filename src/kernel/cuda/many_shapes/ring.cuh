// SPDX-License-Identifier: Apache-2.0
// Products of many shapes, each as a whole in shared memory. A block is one warp, or few, so that
// nobody waits at barriers for others' products; it has a ring in shared memory,
// where the next product arrives while one is multiplied. Sizes and pointers come two products
// ahead: a lane has one of them.
#pragma once

#include "kernel/cuda/many_shapes/ring_part.cuh"
#include "kernel/cuda/tile/source.cuh"

namespace gemmill::batch {

/// A product as it is asked for, a number a lane: m, n, k, leading dimensions and pointers.
class RingFields {
  public:
    __device__ RingFields(const Batch& x, int lane) {
        const BatchMatrix* const matrices[] = {&x.a, &x.b, &x.c};
        const PerProduct<index_t>* const sizes[] = {&x.m, &x.n, &x.k, &x.a.ld, &x.b.ld, &x.c.ld};
#pragma unroll
        for (int i = 0; i < 6; ++i)
            if (lane == i) from_ = sizes[i]->each, all_ = sizes[i]->all;
        const index_t size = bytes_of(x.type);
#pragma unroll
        for (int i = 0; i < 3; ++i)
            if (lane == 6 + i) {
                from_ = reinterpret_cast<const index_t*>(matrices[i]->array);
                all_ = reinterpret_cast<index_t>(matrices[i]->data);
                step_ = matrices[i]->stride * size;
            }
    }
    __device__ index_t get(index_t p) const {
        return from_ != nullptr ? from_[p] : all_ + p * step_;
    }

  private:
    const index_t* from_ = nullptr;
    index_t all_ = 0, step_ = 0;
};

template <class Tile>
class RingBlock {
  public:
    using T = typename Tile::T;
    using N = Number<T>;
    static constexpr int threads = Tile::threads, size = Tile::size;
    static constexpr int at_once = 2;  // a product is multiplied while the next one arrives

    __device__ RingBlock(const Batch& x, unsigned char* ring)
        : x_(x), ring_(ring), fields_(x, static_cast<int>(threadIdx.x) % 32) {}

    template <class Source>
    __device__ void run(const Source& source) {
        const index_t count = source.count(x_), step = gridDim.x;
        const auto name = [&](index_t w) { return source[min(w, count - 1)]; };
        index_t w = blockIdx.x;
        if (w >= count) return;
        index_t next_name = name(w + step), later_name = name(w + 2 * step);
        RingProduct<T> now = product_of(fields_.get(name(w)), name(w));
        index_t next_field = fields_.get(next_name);
        place(now, 0);
        bring(now);
        end_of_copies();
        for (; w < count; w += step) {
            const bool has_next = w + step < count;
            RingProduct<T> next = product_of(next_field, next_name);
            next_name = later_name;
            next_field = fields_.get(next_name);
            later_name = name(w + 3 * step);
            const int begin = now.a.at, end = now.c.at + now.c.bytes(), needed = next.bytes();
            const bool behind = end + needed <= Tile::room, before = needed <= begin;
            place(next, behind ? end : 0);
            if (has_next && (behind || before)) bring(next);
            end_of_copies();
            wait_for_copies<1>();
            __syncthreads();
            Tile::Part::multiply(now, ring_);
            __syncthreads();
            send(now);
            __syncthreads();
            if (has_next && !behind && !before) bring(next);
            end_of_copies();
            now = next;
        }
    }

  private:
    __device__ RingProduct<T> product_of(index_t field, index_t p) const {
        const auto number = [&](int lane) {
            return static_cast<int>(__shfl_sync(0xffffffffU, field, lane));
        };
        const auto pointer = [&](int lane) {
            return reinterpret_cast<T*>(__shfl_sync(0xffffffffU, field, lane));
        };
        const int m = number(0), n = number(1);
        RingProduct<T> g;
        g.k = number(2);
        g.op_a = value_of(x_.op_a, p), g.op_b = value_of(x_.op_b, p);
        g.alpha = factor_of<T>(x_.alpha, p), g.beta = factor_of<T>(x_.beta, p);
        if (N::is_zero(g.alpha)) g.k = 0;
        const bool turned_a = g.op_a != Op::NoTrans, turned_b = g.op_b != Op::NoTrans;
        g.a = {pointer(6), turned_a ? g.k : m, turned_a ? m : g.k, number(3), 0};
        g.b = {pointer(7), turned_b ? n : g.k, turned_b ? g.k : n, number(4), 0};
        g.c = {pointer(8), m, n, number(5), 0};
        return g;
    }
    __device__ static void place(RingProduct<T>& g, int at) {
        g.a.at = at;
        g.b.at = g.a.at + g.a.bytes();
        g.c.at = g.b.at + g.b.bytes();
    }

    __device__ void bring(const RingProduct<T>& g) const {
        if (g.k > 0) bring(g.a), bring(g.b);
        if (!N::is_zero(g.beta)) bring(g.c);
    }
    __device__ void bring(const RingMatrix<T>& s) const {
        if (s.is_whole()) {
            const int behind = s.behind(), end = behind + s.elements() * size;
            const char* const from = reinterpret_cast<const char*>(s.data) - behind;
            for (int e = 16 * own_thread(); e < end; e += 16 * threads)
                copy_ahead<16>(ring_ + s.at + e, from + e, min(end - e, 16));
            return;
        }
        each_element(s, [&](int e, T* from) {
            void* const to = ring_ + s.at + e * size;
            // No instruction copies fewer than 4 bytes ahead.
            if constexpr (size < 4)
                *static_cast<T*>(to) = *from;
            else
                copy_ahead<size>(to, from, size);
        });
    }
    /// f(number of an element, where it is) for this thread's elements of a matrix with gaps.
    template <class F>
    __device__ static void each_element(const RingMatrix<T>& s, F f) {
        const int cols = threads / s.rows, rows = threads - cols * s.rows, all = s.elements();
        const int first = own_thread() / s.rows;
        int row = own_thread() - first * s.rows;
        T* column = s.data + static_cast<index_t>(first) * s.ld;
        for (int e = own_thread(); e < all; e += threads) {
            f(e, column + row);
            row += rows, column += static_cast<index_t>(cols) * s.ld;
            if (row >= s.rows) row -= s.rows, column += s.ld;
        }
    }

    __device__ void send(const RingProduct<T>& g) const {
        constexpr int many = 16 / size;
        const RingMatrix<T>& s = g.c;
        const T* const from = s.in(ring_);
        if (!s.is_whole()) {
            each_element(s, [&](int e, T* to) { *to = from[e]; });
            return;
        }
        const int behind = s.behind() / size, all = s.elements();
        for (int e = many * own_thread() - behind; e < all; e += many * threads) {
            if (e >= 0 && e + many <= all)
                *reinterpret_cast<Pack<T, many>*>(s.data + e) =
                    *reinterpret_cast<const Pack<T, many>*>(from + e);
            else
#pragma unroll
                for (int i = 0; i < many; ++i)
                    if (e + i >= 0 && e + i < all) s.data[e + i] = from[e + i];
        }
    }

    const Batch& x_;
    unsigned char* const ring_;
    const RingFields fields_;
};

template <class Tile, class Source>
__global__ void __launch_bounds__(Tile::threads, Tile::blocks)
    ring_kernel(const __grid_constant__ Batch x, const __grid_constant__ Source source) {
    extern __shared__ __align__(16) unsigned char memory[];
    source.begin();
    RingBlock<Tile>(x, memory).run(source);
    Source::end();
}

}  // namespace gemmill::batch
