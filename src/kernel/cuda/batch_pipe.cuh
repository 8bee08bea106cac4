// SPDX-License-Identifier: Apache-2.0
// Larger products by the FP64 tensor cores, through shared memory: slabs of A and B are copied
// there by cp.async, several ahead of the one that is multiplied, from one product into the next.
// So memory is busy while a tile of C is finished, too.
#pragma once

#include <cstdint>

#include "kernel/cuda/batch_mma.cuh"
#include "kernel/cuda/batch_source.cuh"

namespace gemmill::batch {

/// The least distance of lines of so many elements with which eight lines of four elements, or four
/// of eight, are in different banks.
template <class T>
constexpr int line_of(int elements) {
    int bytes = (elements * static_cast<int>(sizeof(T)) + 31) / 32 * 32;
    while (bytes % 128 != 32 && bytes % 128 != 96) bytes += 32;
    return bytes / static_cast<int>(sizeof(T));
}

constexpr int common_divisor(int a, int b) { return b == 0 ? a : common_divisor(b, a % b); }

/// Copies `lines` of `length` contiguous elements each; those beyond `lines_left` and `left` become
/// zeros. A thread copies `many` elements at a time, at the same places of several lines.
template <class T, int length, int lines, int threads, int many>
__device__ void copy_lines(T* to, const T* from, int ld, int left, int lines_left) {
    constexpr int line = line_of<T>(length), size = static_cast<int>(sizeof(T));
    constexpr int across = common_divisor(length / many, threads), down = threads / across;
    const int thread = own_thread(), x = thread % across * many, y = thread / across;
    to += y * line + x;
#pragma unroll
    for (int c = 0; c < length / many / across; ++c) {
        const int there = min(max(left - x - c * across * many, 0), many) * size;
#pragma unroll
        for (int e = 0; e < (lines + down - 1) / down; ++e) {
            if (lines % down != 0 && y + e * down >= lines) break;
            const int bytes = y + e * down < lines_left ? there : 0;
            const T* source = from + (y + e * down) * ld + x + c * across * many;
            T* target = to + e * down * line + c * across * many;
            if constexpr (many * size >= 4)
                copy_ahead<many * size>(target, source, bytes);
            else
                *target = bytes > 0 ? *source : T{};
        }
    }
}

/// What of A or B goes into a slab: `edge` elements of a tile by `depth` of k. Where it lies is
/// worked out once for a tile.
template <class T, int edge, int depth, int threads>
class Feed {
  public:
    /// From element (first, 0), where steps along the edge and along k are of so many elements, and
    /// those along the edge are of one when it is `along`.
    __device__ void open(const T* matrix, int first, index_t edge_step, index_t k_step, bool along,
                         int left) {
        from_ = matrix + first * edge_step;
        along_ = along;
        ld_ = static_cast<int>(along ? k_step : edge_step);
        left_ = left;
        constexpr unsigned mask = 15;
        aligned_ = ((static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(from_)) |
                     static_cast<unsigned>(ld_ * sizeof(T))) &
                    mask) == 0;
    }
    /// The next slab, of which k_left are there.
    __device__ void copy(T* to, int k_left) {
        constexpr int many = 16 / static_cast<int>(sizeof(T));
        if (along_ && aligned_)
            copy_lines<T, edge, depth, threads, many>(to, from_, ld_, left_, k_left);
        else if (along_)
            copy_lines<T, edge, depth, threads, 1>(to, from_, ld_, left_, k_left);
        else if (aligned_)
            copy_lines<T, depth, edge, threads, many>(to, from_, ld_, k_left, left_);
        else
            copy_lines<T, depth, edge, threads, 1>(to, from_, ld_, k_left, left_);
        from_ += along_ ? depth * ld_ : depth;
    }

  private:
    const T* from_;
    int ld_, left_;
    bool along_, aligned_;
};

template <class T, int rows, int depth, int mt, int nt, int wr, int wc, int slab_depth, int stages_>
struct PipeTile {
    using W = Wide<T>;
    using F = Fragments<typename W::Number, rows, depth>;
    using Sums = typename F::C[mt][nt];
    static constexpr int threads = 32 * wr * wc, stages = stages_, slab = slab_depth;
    static constexpr int tile_m = rows * mt * wr, tile_n = 8 * nt * wc;
    using FeedA = Feed<T, tile_m, slab, threads>;
    using FeedB = Feed<T, tile_n, slab, threads>;
    static constexpr int room_of(int edge) {
        return max_of(slab * line_of<T>(edge), edge * line_of<T>(slab));
    }
    static constexpr int max_of(int a, int b) { return a > b ? a : b; }
    struct Stage {
        alignas(16) T a[room_of(tile_m)];
        alignas(16) T b[room_of(tile_n)];
    };

    __device__ static void multiply(Sums& c, const Stage& s, Op op_a, Op op_b) {
        const bool conj_a = op_a == Op::ConjTrans, conj_b = op_b == Op::ConjTrans;
        if (op_a != Op::NoTrans)
            op_b != Op::NoTrans ? multiply<true, true>(c, s, conj_a, conj_b)
                                : multiply<true, false>(c, s, conj_a, conj_b);
        else
            op_b != Op::NoTrans ? multiply<false, true>(c, s, conj_a, conj_b)
                                : multiply<false, false>(c, s, conj_a, conj_b);
    }

    __device__ static void store(const Sums& c, const Product<T>& g, int row, int col) {
        const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
        store_fragments<T, F, rows, mt, nt>(g, c, row + warp % wr * (rows * mt) + lane / 4,
                                            col + warp / wr * (8 * nt) + lane % 4 * 2);
    }

  private:
    template <bool trans_a, bool trans_b>
    __device__ static void multiply(Sums& c, const Stage& s, bool conj_a, bool conj_b) {
        constexpr int a_row = trans_a ? line_of<T>(slab) : 1;
        constexpr int a_col = trans_a ? 1 : line_of<T>(tile_m);
        constexpr int b_row = trans_b ? line_of<T>(tile_n) : 1;
        constexpr int b_col = trans_b ? 1 : line_of<T>(slab);
        const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, group = lane / 4, t = lane % 4;
        const T* a = s.a + (warp % wr * (rows * mt) + group) * a_row + t * a_col;
        const T* b = s.b + (warp / wr * (8 * nt) + group) * b_col + t * b_row;
#pragma unroll
        for (int l = 0; l < slab; l += depth) {
            typename F::A fa[mt];
            typename F::B fb[nt];
#pragma unroll
            for (int q = 0; q < depth / 4; ++q) {
#pragma unroll
                for (int i = 0; i < mt; ++i)
#pragma unroll
                    for (int h = 0; h < rows / 8; ++h)
                        fa[i].set(q, h,
                                  W::load(a[(i * rows + h * 8) * a_row + (l + 4 * q) * a_col]),
                                  conj_a);
#pragma unroll
                for (int j = 0; j < nt; ++j)
                    fb[j].set(q, W::load(b[j * 8 * b_col + (l + 4 * q) * b_row]), conj_b);
            }
#pragma unroll
            for (int i = 0; i < mt; ++i)
#pragma unroll
                for (int j = 0; j < nt; ++j) F::multiply(c[i][j], fa[i], fb[j]);
        }
    }
};

/// The tiles of a block, one after the other: every gridDim.x-th of all.
template <class Tile, class T, class Source>
class Walk {
  public:
    __device__ Walk(const Batch& x, const Source& source)
        : w_(blockIdx.x), count_(source.count(x)) {}

    /// The next tile that there is; false: there is none.
    __device__ bool next(const Batch& x, const Source& source, Product<T>& g) {
        for (; w_ < count_; w_ += gridDim.x) {
            at_ = source.template get<Tile>(x, w_);
            g = product_of<T, Source::shapes>(x, at_.product);
            if (at_.row >= g.m || at_.col >= g.n) continue;
            w_ += gridDim.x;
            slabs_ = max(1, (g.k + Tile::slab - 1) / Tile::slab);
            return true;
        }
        slabs_ = 0;
        return false;
    }
    __device__ const TileOf& tile() const { return at_; }
    /// Slabs of the tile that are left.
    __device__ int& slabs() { return slabs_; }

  private:
    TileOf at_;
    index_t w_, count_;
    int slabs_ = 0;
};

/// Brings slabs, ahead of those who multiply them.
template <class Tile, class T, class Source>
class Feeder {
  public:
    __device__ Feeder(const Batch& x, const Source& source) : walk_(x, source) {
        next_tile(x, source);
    }
    __device__ void bring(typename Tile::Stage& stage, const Batch& x, const Source& source) {
        if (walk_.slabs() > 0) {
            a_.copy(stage.a, k_);
            b_.copy(stage.b, k_);
            k_ -= Tile::slab;
            if (--walk_.slabs() == 0) next_tile(x, source);
        }
        end_of_copies();
    }

  private:
    __device__ void next_tile(const Batch& x, const Source& source) {
        Product<T> g;
        if (!walk_.next(x, source, g)) return;
        const TileOf& at = walk_.tile();
        k_ = g.k;
        a_.open(g.a, at.row, g.a_row, g.a_col, !g.trans_a, g.m - at.row);
        b_.open(g.b, at.col, g.b_col, g.b_row, g.trans_b, g.n - at.col);
    }

    Walk<Tile, T, Source> walk_;
    typename Tile::FeedA a_;
    typename Tile::FeedB b_;
    int k_ = 0;
};

template <class Tile, class T, class Source, int blocks>
__global__ void __launch_bounds__(Tile::threads, blocks)
    pipe_kernel(const __grid_constant__ Batch x, const __grid_constant__ Source source) {
    extern __shared__ __align__(16) unsigned char memory[];
    auto* stages = reinterpret_cast<typename Tile::Stage*>(memory);
    Feeder<Tile, T, Source> feeder(x, source);
    for (int s = 0; s < Tile::stages - 1; ++s) feeder.bring(stages[s], x, source);
    Walk<Tile, T, Source> walk(x, source);
    int stage = 0;
    for (Product<T> g; walk.next(x, source, g);) {
        typename Tile::Sums c = {};
        const Op op_a = g.conj_a ? Op::ConjTrans : g.trans_a ? Op::Trans : Op::NoTrans;
        const Op op_b = g.conj_b ? Op::ConjTrans : g.trans_b ? Op::Trans : Op::NoTrans;
        for (; walk.slabs() > 0; --walk.slabs()) {
            wait_for_copies<Tile::stages - 2>();
            __syncthreads();
            feeder.bring(stages[stage == 0 ? Tile::stages - 1 : stage - 1], x, source);
            Tile::multiply(c, stages[stage], op_a, op_b);
            stage = stage + 1 == Tile::stages ? 0 : stage + 1;
        }
        Tile::store(c, product_of<T, Source::shapes>(x, walk.tile().product), walk.tile().row,
                    walk.tile().col);
    }
}

}  // namespace gemmill::batch
