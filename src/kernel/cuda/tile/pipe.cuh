// SPDX-License-Identifier: Apache-2.0
// Larger products by the FP64 tensor cores, through shared memory: slabs of A and B are copied
// there by cp.async, several ahead of the one that is multiplied, from one product into the next.
// So memory is busy while a tile of C is finished, too.
#pragma once

#include <type_traits>

#include "kernel/cuda/part/gate.cuh"
#include "kernel/cuda/tile/feed.cuh"
#include "kernel/cuda/tile/mma.cuh"

namespace gemmill::batch {

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
    struct Slabs {
        alignas(16) T a[room_of(tile_m)];
        alignas(16) T b[room_of(tile_n)];
    };
    /// Of C a stage holds so many columns.
    static constexpr int line_of_c = line_of<T>(tile_m);
    static constexpr int columns_of_c() {
        int columns = tile_n;
        while (columns > 8 &&
               (tile_n % columns != 0 || columns * line_of_c * sizeof(T) > sizeof(Slabs)))
            columns -= 8;
        return columns;
    }
    static constexpr int columns = columns_of_c(), pieces = tile_n / columns;
    union Stage {
        Slabs slab;
        alignas(16) T c[columns * line_of_c];
    };

    __device__ static int warp_row() { return static_cast<int>(threadIdx.x) / 32 % wr * rows * mt; }
    __device__ static int warp_col() { return static_cast<int>(threadIdx.x) / 32 / wr * 8 * nt; }

    __device__ static void multiply(Sums& c, const Slabs& s, Op op_a, Op op_b) {
        const bool conj_a = op_a == Op::ConjTrans, conj_b = op_b == Op::ConjTrans;
        if (op_a != Op::NoTrans)
            op_b != Op::NoTrans ? multiply<true, true>(c, s, conj_a, conj_b)
                                : multiply<true, false>(c, s, conj_a, conj_b);
        else
            op_b != Op::NoTrans ? multiply<false, true>(c, s, conj_a, conj_b)
                                : multiply<false, false>(c, s, conj_a, conj_b);
    }

    /// Writes what of C lies in a piece whose old elements are there.
    __device__ static void finish(const Sums& c, const Job<T>& g, const Stage& s, int piece) {
        using N = Number<typename W::Number>;
        const auto beta = Wide<typename Job<T>::Sum>::load(g.beta);
        const T* old = s.c + warp_row() + (warp_col() - piece * columns) * line_of_c;
        write(
            c, g, [&](int j) { return (warp_col() + 8 * j) / columns == piece; },
            [&](int row, int col) { return old[row + col * line_of_c]; },
            [&](auto value, T before) { return N::plus(value, N::scaled(beta, W::load(before))); });
    }
    /// Writes all; C is not read.
    __device__ static void finish(const Sums& c, const Job<T>& g) {
        write(
            c, g, [](int) { return true; }, [](int, int) { return T{}; },
            [](auto value, T) { return value; });
    }

  private:
    /// Whether what was there before is read for a column of fragments before the first is used:
    /// even where no element of C is, the stage has one. With reals, whose sums take little time,
    /// it pays only where a column is all that a warp has: others are short of registers.
    static constexpr bool reads_ahead = !std::is_same_v<typename W::Number, double> || nt == 1;

    /// Of fragments in columns that are wanted: as `finished` makes of alpha times the sum and of
    /// what was there before.
    template <class Wanted, class Before, class Finished>
    __device__ static void write(const Sums& c, const Job<T>& g, Wanted wanted, Before before,
                                 Finished finished) {
        using N = Number<typename W::Number>;
        constexpr int halves = rows / 8;
        const auto alpha = Wide<typename Job<T>::Sum>::load(g.alpha);
        const int lane = threadIdx.x % 32, group = lane / 4, t = lane % 4;
        const int rows_left = g.m - warp_row(), cols_left = g.n - warp_col(), ldc = g.ldc;
        const bool multiplies = g.k > 0;
        T* out = g.c + warp_row() + warp_col() * static_cast<index_t>(ldc);
#pragma unroll
        for (int j = 0; j < nt; ++j) {
            if (!wanted(j)) continue;
            const auto each = [&](auto use) {
#pragma unroll
                for (int e = 0; e < 2; ++e)
#pragma unroll
                    for (int i = 0; i < mt; ++i)
#pragma unroll
                        for (int h = 0; h < halves; ++h)
                            use(Place{i, h, e, i * rows + h * 8 + group, j * 8 + 2 * t + e});
            };
            const auto is_in = [&](Place p) { return p.row < rows_left && p.col < cols_left; };
            const auto value = [&](Place p) {
                return multiplies ? N::times(alpha, c[p.i][j].get(p.h, p.e)) : F::zero();
            };
            if constexpr (reads_ahead) {
                T some[mt][halves][2];
                each([&](Place p) { some[p.i][p.h][p.e] = before(p.row, p.col); });
                each([&](Place p) {
                    T& x = some[p.i][p.h][p.e];
                    x = W::store(finished(value(p), x));
                });
                each([&](Place p) {
                    if (is_in(p)) out[p.row + p.col * ldc] = some[p.i][p.h][p.e];
                });
            } else
                each([&](Place p) {
                    if (!is_in(p)) return;
                    const auto x = value(p);
                    out[p.row + p.col * ldc] = W::store(finished(x, before(p.row, p.col)));
                });
        }
    }
    /// An element of a lane: of fragment i, its rows h and its column e.
    struct Place {
        int i, h, e, row, col;
    };

    template <bool trans_a, bool trans_b>
    __device__ static void multiply(Sums& c, const Slabs& s, bool conj_a, bool conj_b) {
        constexpr int a_row = trans_a ? line_of<T>(slab) : 1;
        constexpr int a_col = trans_a ? 1 : line_of<T>(tile_m);
        constexpr int b_row = trans_b ? line_of<T>(tile_n) : 1;
        constexpr int b_col = trans_b ? 1 : line_of<T>(slab);
        const int lane = threadIdx.x % 32, group = lane / 4, t = lane % 4;
        const T* a = s.a + (warp_row() + group) * a_row + t * a_col;
        const T* b = s.b + (warp_col() + group) * b_col + t * b_row;
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

/// Steps of a tile: slabs, one at least, and then pieces of C if it is read.
template <class Tile, class T>
__device__ int slabs_of(const Job<T>& g) {
    return max(1, (g.k + Tile::slab - 1) / Tile::slab);
}
template <class Tile, class T>
__device__ int pieces_of(const Job<T>& g) {
    return Number<T>::is_zero(g.beta) ? 0 : Tile::pieces;
}

/// Brings slabs and pieces, ahead of those who use them.
template <class Tile, class T, class Jobs>
class Feeder {
  public:
    __device__ explicit Feeder(Jobs& jobs) : jobs_(jobs) { open(); }
    __device__ void bring(typename Tile::Stage& stage) {
        if (slabs_ > 0) {
            a_.copy(stage.slab.a, left_);
            b_.copy(stage.slab.b, left_);
            left_ -= Tile::slab;
            if (--slabs_ == 0) open_c();
        } else if (pieces_ > 0) {
            a_.template copy_across<Tile::columns>(stage.c, left_);
            left_ -= Tile::columns;
            --pieces_;
        }
        if (slabs_ == 0 && pieces_ == 0 && !ended_) open();
        end_of_copies();
    }

  private:
    __device__ void open() {
        const Job<T>& g = jobs_[++at_];
        ended_ = g.m == 0;
        if (ended_) return;
        jobs_.ask(at_);
        slabs_ = slabs_of<Tile>(g);
        left_ = g.k;
        a_.open(g.a, g.lda, g.op_a == Op::NoTrans, g.m);
        b_.open(g.b, g.ldb, g.op_b != Op::NoTrans, g.n);
    }
    __device__ void open_c() {
        const Job<T>& g = jobs_[at_];
        pieces_ = pieces_of<Tile>(g);
        left_ = g.n;
        a_.open(g.c, g.ldc, true, g.m);
    }

    Jobs& jobs_;
    typename Tile::FeedA a_;
    typename Tile::FeedB b_;
    int at_ = -1, left_ = 0, slabs_ = 0, pieces_ = 0;
    bool ended_ = false;
};

template <class Tile, class T, class Source>
constexpr std::size_t pipe_bytes = sizeof(typename Tile::Stage) * Tile::stages
                                   + Queue<Tile, T, Source>::bytes;

template <class Tile, class T, class Source, int blocks>
__global__ void __launch_bounds__(Tile::threads, blocks)
    pipe_kernel(const __grid_constant__ Batch x, const __grid_constant__ Source source,
                const __grid_constant__ Gate gate = {}) {
    if (is_shut(gate)) return;
    extern __shared__ __align__(16) unsigned char memory[];
    using Jobs = Queue<Tile, T, Source>;
    source.begin();
    auto* stages = reinterpret_cast<typename Tile::Stage*>(memory);
    Jobs jobs(x, source, memory + sizeof(typename Tile::Stage) * Tile::stages);
    Feeder<Tile, T, Jobs> feeder(jobs);
    for (int s = 0; s < Tile::stages - 1; ++s) feeder.bring(stages[s]);
    int stage = 0;
    for (int at = 0; jobs[at].m > 0; ++at) {
        const Job<T>& g = jobs[at];
        typename Tile::Sums c = {};
        const Op op_a = g.op_a, op_b = g.op_b;
        const int slabs = slabs_of<Tile>(g), pieces = pieces_of<Tile>(g);
        const bool has_part = Tile::warp_row() < g.m && Tile::warp_col() < g.n;
        for (int step = 0; step < slabs + pieces; ++step) {
            wait_for_copies<Tile::stages - 2>();
            __syncthreads();
            feeder.bring(stages[stage == 0 ? Tile::stages - 1 : stage - 1]);
            if (has_part && step < slabs)
                Tile::multiply(c, stages[stage].slab, op_a, op_b);
            else if (has_part)
                Tile::finish(c, g, stages[stage], step - slabs);
            stage = stage + 1 == Tile::stages ? 0 : stage + 1;
        }
        if (has_part && pieces == 0) Tile::finish(c, g);
    }
    Source::end();
}

}  // namespace gemmill::batch
