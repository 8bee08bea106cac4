// SPDX-License-Identifier: Apache-2.0
// Products of many shapes, each as a whole in shared memory, by multiply-adds. A block is one warp,
// or few, so that nobody waits at barriers for others' products; it has a ring in shared memory,
// where the next product arrives while one is multiplied. Sizes and pointers come two products
// ahead: a lane has one of them.
#pragma once

#include "kernel/cuda/batch_source.cuh"
#include "kernel/cuda/batch_tiny.cuh"

namespace gemmill::batch {

/// m, n and k are at most `edge`; a thread makes tm x tn elements of C at a time.
template <class T_, int edge_, int tm_, int tn_, int warps_, int blocks_>
struct RingTile {
    using T = T_;
    static constexpr int edge = edge_, tm = tm_, tn = tn_, blocks = blocks_;
    static constexpr int threads = 32 * warps_, size = static_cast<int>(sizeof(T));
    static_assert(edge * edge * size % 16 == 0);
    /// Of the largest product, whose matrices lie anywhere behind a multiple of 16 bytes; some
    /// more, so that others find room beside it, or two of it where they are small.
    static constexpr int largest = 3 * (edge * edge * size + 16);
    static constexpr int room = edge <= 16 ? 2 * largest : largest + largest / 512 * 16;
    static constexpr int past = (tm > tn ? tm : tn) * edge * size;  // read, but not used
    static constexpr int bytes = room + past;
};

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

template <class Tile>
class RingBlock {
  public:
    using T = typename Tile::T;
    using N = Number<T>;
    static constexpr int threads = Tile::threads, size = Tile::size, tm = Tile::tm, tn = Tile::tn;

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
            multiply(now);
            __syncthreads();
            send(now);
            __syncthreads();
            if (has_next && !behind && !before) bring(next);
            end_of_copies();
            now = next;
        }
    }

  private:
    __device__ static int own() { return static_cast<int>(threadIdx.x); }
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
            for (int e = 16 * own(); e < end; e += 16 * threads)
                copy_ahead<16>(ring_ + s.at + e, from + e, min(end - e, 16));
            return;
        }
        for (int e = own(); e < s.elements(); e += threads) {
            const int col = e / s.rows;
            copy_ahead<size>(ring_ + s.at + e * size,
                             s.data + (e - col * s.rows) + static_cast<index_t>(col) * s.ld, size);
        }
    }

    __device__ void multiply(const RingProduct<T>& g) const {
        const int m = g.c.rows, n = g.c.cols, down = (m + tm - 1) / tm,
                  tiles = down * ((n + tn - 1) / tn);
        const bool turned_a = g.op_a != Op::NoTrans, turned_b = g.op_b != Op::NoTrans;
        const int a_edge = turned_a ? g.k : 1, a_step = turned_a ? 1 : m,
                  b_edge = turned_b ? 1 : g.k, b_step = turned_b ? n : 1;
        const unsigned by_down = (1U << 20) / static_cast<unsigned>(down) + 1;
        for (int u = own(); u < tiles; u += threads) {
            const int y = static_cast<int>(static_cast<unsigned>(u) * by_down >> 20);
            const int x = u - y * down;
            const int row = max(min(x * tm, m - tm), 0), col = max(min(y * tn, n - tn), 0);
            typename N::Sum sum[tn][tm] = {};
            const T* const a = g.a.in(ring_) + row * a_edge;
            const T* const b = g.b.in(ring_) + col * b_edge;
            // Lines of k elements would lie in few banks: threads that read along them begin with
            // different ones.
            int l = g.k % 4 == 0 ? ((turned_a ? x : 0) + (turned_b ? 0 : y)) % max(g.k, 1) : 0;
#pragma unroll 2
            for (int i = 0; i < g.k; ++i) {
                add(sum, a + l * a_step, a_edge, b + l * b_step, b_edge, g);
                l = l + 1 == g.k ? 0 : l + 1;
            }
            finish(sum, g, x * tm, y * tn, row, col);
        }
    }
    __device__ static void add(typename N::Sum (&sum)[tn][tm], const T* a, int a_edge, const T* b,
                               int b_edge, const RingProduct<T>& g) {
        typename N::Sum va[tm], vb[tn];
#pragma unroll
        for (int i = 0; i < tm; ++i) va[i] = N::load(a[i * a_edge]);
#pragma unroll
        for (int j = 0; j < tn; ++j) vb[j] = N::load(b[j * b_edge]);
        if (g.op_a == Op::ConjTrans)
#pragma unroll
            for (int i = 0; i < tm; ++i) va[i] = N::conj(va[i]);
        if (g.op_b == Op::ConjTrans)
#pragma unroll
            for (int j = 0; j < tn; ++j) vb[j] = N::conj(vb[j]);
#pragma unroll
        for (int j = 0; j < tn; ++j)
#pragma unroll
            for (int i = 0; i < tm; ++i) N::add(sum[j][i], va[i], vb[j]);
    }
    /// A tile that begins at (row, col) has what lies from (first_row, first_col) on.
    __device__ void finish(const typename N::Sum (&sum)[tn][tm], const RingProduct<T>& g,
                           int first_row, int first_col, int row, int col) const {
        const bool reads = !N::is_zero(g.beta);
        T* const c = g.c.in(ring_);
#pragma unroll
        for (int j = 0; j < tn; ++j) {
            if (col + j < first_col || col + j >= g.c.cols) continue;
#pragma unroll
            for (int i = 0; i < tm; ++i) {
                if (row + i < first_row || row + i >= g.c.rows) continue;
                T& out = c[row + i + (col + j) * g.c.rows];
                auto value = g.k > 0 ? N::times(g.alpha, sum[j][i]) : typename N::Sum{};
                if (reads) value = N::plus(value, N::scaled(g.beta, N::load(out)));
                out = N::store(value);
            }
        }
    }

    __device__ void send(const RingProduct<T>& g) const {
        constexpr int many = 16 / size;
        const RingMatrix<T>& s = g.c;
        const T* const from = s.in(ring_);
        if (!s.is_whole()) {
            for (int e = own(); e < s.elements(); e += threads) {
                const int col = e / s.rows;
                s.data[e - col * s.rows + static_cast<index_t>(col) * s.ld] = from[e];
            }
            return;
        }
        const int behind = s.behind() / size, all = s.elements();
        for (int e = many * own() - behind; e < all; e += many * threads) {
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
    Source::begin();
    RingBlock<Tile>(x, memory).run(source);
    Source::end();
}

}  // namespace gemmill::batch
