// SPDX-License-Identifier: Apache-2.0
// Tiles of products that wait to be made, and how a block comes by them.
#pragma once

#include "kernel/cuda/part/product.cuh"
#include "kernel/cuda/part/ptx.cuh"

namespace gemmill::batch {

/// A tile of C and what it is made of: op(A) from its first row on, op(B) from its first column on.
/// m and n are what is left of C from there on, which may be more than a tile.
template <class T>
struct alignas(16) Job {
    using Sum = typename Number<T>::Sum;
    const T *a, *b;
    T* c;
    int m, n, k, lda, ldb, ldc;
    Op op_a, op_b;
    Sum alpha, beta;
};

template <class T>
__device__ Job<T> job_of(const Product<T>& g, int row, int col) {
    Job<T> r;
    r.a = g.a + row * g.a_row;
    r.b = g.b + col * g.b_col;
    r.c = g.c + row + col * g.ldc;
    r.m = g.m - row;
    r.n = g.n - col;
    r.k = g.k;
    r.lda = static_cast<int>(g.trans_a ? g.a_row : g.a_col);
    r.ldb = static_cast<int>(g.trans_b ? g.b_row : g.b_col);
    r.ldc = static_cast<int>(g.ldc);
    r.op_a = g.conj_a ? Op::ConjTrans : g.trans_a ? Op::Trans : Op::NoTrans;
    r.op_b = g.conj_b ? Op::ConjTrans : g.trans_b ? Op::Trans : Op::NoTrans;
    r.alpha = g.alpha;
    r.beta = g.beta;
    return r;
}

/// A list of products that a ring makes (batch_ring.cuh), as the kernel in front of it sees it.
struct RingBehind {
    const unsigned long long* length = nullptr;  ///< null: what is behind is no ring
    index_t at_once = 0;                         ///< products that all its blocks have on their way
};
/// The next kernel may begin as soon as all blocks have said so, or have ended. It may at once, but
/// for a ring that has many products: blocks of a ring that begin as others end do not all find
/// room, since shared memory is in pieces then, and those that begin late have no fewer products to
/// make. Where all are on their way at once, that does not matter.
__device__ inline void start_next(const RingBehind& ring) {
    if (ring.length == nullptr || *ring.length <= static_cast<unsigned long long>(ring.at_once))
        start_next();
}
/// Keeps a kernel from ending before the one before it has. A single block waits, so that the
/// others leave room for the next kernel when they are done.
__device__ inline void end_after_earlier() {
    if (blockIdx.x == 0) wait_for_earlier();
}

/// Jobs that another kernel wrote down, those that take longest first. A block takes the next when
/// it has room for one.
struct JobList {
    static constexpr Shapes shapes = Shapes::many;
    const void* jobs;
    const int* range;  // jobs from range[0] to before range[1]
    int* taken;
    RingBehind behind{};

    __device__ void begin() const { start_next(behind); }
    __device__ static void end() { end_after_earlier(); }

    /// What a block knows of those it takes: the first `ahead` are given, and each number is asked
    /// for one job before it is needed.
    template <int ahead>
    struct Cursor {
        int given = 0, next = 0;
    };
    template <class Tile, class T, int ahead>
    __device__ void put(const Batch&, Job<T>& to, Cursor<ahead>& at) const {
        int number =
            at.given < ahead ? static_cast<int>(blockIdx.x + at.given * gridDim.x) : at.next;
        if (++at.given >= ahead)
            at.next = atomicAdd(taken, 1) + ahead * static_cast<int>(gridDim.x);
        number += range[0];
        if (number >= range[1]) {
            to.m = 0;
            return;
        }
        const Job<T>* from = static_cast<const Job<T>*>(jobs) + number;
#pragma unroll
        for (int i = 0; i < static_cast<int>(sizeof(Job<T>)); i += 16)
            copy_ahead<16>(reinterpret_cast<char*>(&to) + i,
                           reinterpret_cast<const char*>(from) + i, 16);
    }
};

/// Jobs of a block in shared memory. They come there as slabs do, so many tiles ahead that nobody
/// waits: a tile has a slab at least. A job without rows is behind the last.
template <class Tile, class T, class Source>
class Queue {
  public:
    static constexpr int ahead = Tile::stages, length = 2 * Tile::stages + 2;
    static constexpr std::size_t bytes = length * sizeof(Job<T>);

    __device__ Queue(const Batch& x, const Source& source, void* room)
        : x_(x), source_(source), ring_(static_cast<Job<T>*>(room)) {
        if (own_thread() == 0)
            for (int i = 0; i < ahead; ++i) put(i);
        end_of_copies();
        wait_for_copies<0>();
        __syncthreads();
    }
    __device__ const Job<T>& operator[](int at) const {
        return ring_[static_cast<unsigned>(at) % length];
    }
    /// For one behind that one.
    __device__ void ask(int at) {
        if (own_thread() == 0) put(at + ahead);
    }

  private:
    __device__ void put(int at) {
        source_.template put<Tile, T>(x_, ring_[static_cast<unsigned>(at) % length], cursor_);
    }

    const Batch& x_;
    const Source& source_;
    Job<T>* ring_;
    typename Source::template Cursor<ahead> cursor_;
};

}  // namespace gemmill::batch
