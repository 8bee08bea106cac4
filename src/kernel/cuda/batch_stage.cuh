// SPDX-License-Identifier: Apache-2.0
// Products of any shape by multiply-adds: all that a block needs of A, B and C comes to shared
// memory first, of several products where they are small, in pieces of 16 bytes wherever matrices
// begin and however far apart their columns are. So memory is as busy as with a copy; while one
// block multiplies, others of the multiprocessor copy. A thread makes tm x tn elements of C, or
// several threads do, each for some of k.
#pragma once

#include "kernel/cuda/batch_product.cuh"
#include "kernel/cuda/batch_stage_plan.hpp"
#include "kernel/cuda/batch_tiny.cuh"
#include "kernel/cuda/ptx.cuh"

namespace gemmill::batch {

template <class T_, int tm_, int tn_, int threads_, int blocks_>
struct StageTile {
    using T = T_;
    static constexpr int tm = tm_, tn = tn_, threads = threads_, blocks = blocks_;
};

__device__ inline unsigned quotient(unsigned x, int divisor, unsigned by) {
    return divisor == 1 ? x : static_cast<unsigned>(static_cast<std::uint64_t>(x) * by >> 32);
}
/// Bytes behind a multiple of 16.
__device__ inline int bytes_behind(const void* p) {
    return static_cast<int>(reinterpret_cast<std::uintptr_t>(p) & 15);
}

/// Where the matrices of a block's products lie: by pointers of a table, or at equal distances.
template <class T>
struct StagePlaces {
    const BatchMatrix& of;
    const T* const* table;  // of this matrix; null where there is none
    index_t first;
    index_t offset;  // of the part

    __device__ const T* operator[](int p) const {
        if (table != nullptr) return table[p] + offset;
        return static_cast<const T*>(of.data) + (first + p) * of.stride + offset;
    }
};

/// What of a matrix is there: lines and their length, as stored.
struct StageExtent {
    int products, lines, length;
};

/// f(address of a piece, where it lies in shared memory, bytes of it before the first element,
/// bytes up to the last) for pieces of 16 bytes of all lines of all products.
template <int threads, class T, class F>
__device__ void each_piece(const StageMatrix& s, T* stage, const StagePlaces<T>& places, int ld,
                           StageExtent there, F f) {
    constexpr int size = static_cast<int>(sizeof(T));
    const int products = s.chained ? 1 : there.products;
    const int lines = s.flat ? 1 : there.lines;
    int length = s.flat ? (there.lines - 1) * ld + there.length : there.length;
    int pieces = s.pieces;
    if (s.chained) {
        length += (there.products - 1) * s.product;
        pieces = (length * size + 30) / 16;
    }
    char* const to = reinterpret_cast<char*>(stage + s.at);
    const int all = products * s.lines * pieces;
    for (int u = own_thread(); u < all; u += threads) {
        const auto q = s.chained ? 0U : quotient(static_cast<unsigned>(u), pieces, s.by_pieces);
        const int piece = u - static_cast<int>(q) * pieces;
        const auto p = static_cast<int>(quotient(q, s.lines, s.by_lines));
        const int line = static_cast<int>(q) - p * s.lines;
        if (line >= lines) continue;
        const T* const of_product = places[p];
        const char* const from =
            reinterpret_cast<const char*>(of_product + line * static_cast<index_t>(ld));
        const int behind = bytes_behind(from), end = behind + length * size - 16 * piece;
        if (end <= 0) continue;
        const int at = (p * s.product + line * s.line) * size + bytes_behind(of_product);
        f(from - behind + 16 * piece, to + (at & ~15) + 16 * piece, piece == 0 ? behind : 0, end);
    }
}

template <int threads, class T>
__device__ void bring(const StageMatrix& s, T* stage, const StagePlaces<T>& places, int ld,
                      StageExtent there) {
    each_piece<threads>(s, stage, places, ld, there,
                        [](const char* from, char* to, int, int end) {
                            copy_ahead<16>(to, from, min(end, 16));
                        });
}

/// C back to where it came from.
template <int threads, class T>
__device__ void send(const StageMatrix& s, T* stage, const StagePlaces<T>& places, int ld,
                     StageExtent there) {
    constexpr int whole = 16 / static_cast<int>(sizeof(T));
    each_piece<threads>(s, stage, places, ld, there,
                        [](const char* address, const char* from, int begin, int end) {
                            auto* to = reinterpret_cast<T*>(const_cast<char*>(address));
                            const auto pack = *reinterpret_cast<const Pack<T, whole>*>(from);
                            if (begin == 0 && end >= 16)
                                *reinterpret_cast<Pack<T, whole>*>(to) = pack;
                            else
#pragma unroll
                                for (int e = 0; e < whole; ++e)
                                    if (e * static_cast<int>(sizeof(T)) >= begin &&
                                        e * static_cast<int>(sizeof(T)) < end)
                                        to[e] = pack.x[e];
                        });
}

/// Which elements of which product a thread makes. Threads that are left over do as others do,
/// and write nothing.
template <class Tile>
struct StagePart {
    using T = typename Tile::T;
    using N = Number<T>;
    using Sums = typename N::Sum[Tile::tn][Tile::tm];
    static constexpr int tm = Tile::tm, tn = Tile::tn;
    int slot, slots, q, x, y;
    bool writes;

    __device__ explicit StagePart(const StagePlan& plan) {
        const int each = plan.down * plan.right * plan.deep, own = static_cast<int>(threadIdx.x);
        slots = Tile::threads / each;
        writes = own < slots * each;
        slot = writes ? own / each : 0;
        const int rest = writes ? own % each : own % plan.deep;
        q = rest % plan.deep;
        x = rest / plan.deep % plan.down;
        y = rest / plan.deep / plan.down;
    }

    /// Adds what a slab of k adds.
    __device__ void multiply(Sums& sum, const Product<T>& g, const StagePlan& plan, const T* a,
                             const T* b, int rows, int cols, int k) const {
        const int a_row = plan.a.along ? 1 : plan.a.line, a_step = plan.a.along ? plan.a.line : 1;
        const int b_col = plan.b.along ? 1 : plan.b.line, b_step = plan.b.along ? plan.b.line : 1;
        int of_a[tm], of_b[tn];
#pragma unroll
        for (int i = 0; i < tm; ++i) of_a[i] = min(x + i * plan.down, rows - 1) * a_row;
#pragma unroll
        for (int j = 0; j < tn; ++j) of_b[j] = min(y + j * plan.right, cols - 1) * b_col;
        const auto add = [&](const T* pa, const T* pb) {
            typename N::Sum va[tm], vb[tn];
#pragma unroll
            for (int i = 0; i < tm; ++i) va[i] = N::load(pa[of_a[i]]);
#pragma unroll
            for (int j = 0; j < tn; ++j) vb[j] = N::load(pb[of_b[j]]);
            if (g.conj_a)
#pragma unroll
                for (int i = 0; i < tm; ++i) va[i] = N::conj(va[i]);
            if (g.conj_b)
#pragma unroll
                for (int j = 0; j < tn; ++j) vb[j] = N::conj(vb[j]);
#pragma unroll
            for (int j = 0; j < tn; ++j)
#pragma unroll
                for (int i = 0; i < tm; ++i) N::add(sum[j][i], va[i], vb[j]);
        };
        if (plan.turned) {
            const int first = (x + y) % max(k, 1);
            const T *pa = a + first * a_step, *pb = b + first * b_step;
            const T *const end_a = a + k * a_step, *const end_b = b + k * b_step;
#pragma unroll 2
            for (int l = 0; l < k; ++l) {
                add(pa, pb);
                pa += a_step, pb += b_step;
                pa = pa == end_a ? a : pa;
                pb = pb == end_b ? b : pb;
            }
        } else {
            const int deep = plan.deep;
            const T *pa = a + q * a_step, *pb = b + q * b_step;
#pragma unroll 4
            for (int l = q; l < k; l += deep) {
                add(pa, pb);
                pa += deep * a_step, pb += deep * b_step;
            }
        }
    }

    /// Sums of all threads along k become one.
    __device__ void join(Sums& sum, int deep) const {
        for (int step = 1; step < deep; step *= 2)
#pragma unroll
            for (int j = 0; j < tn; ++j)
#pragma unroll
                for (int i = 0; i < tm; ++i)
                    sum[j][i] = N::plus(sum[j][i], from_lane(sum[j][i], step));
    }

    /// C in shared memory is finished; of threads along k each writes some.
    __device__ void finish(const Sums& sum, const Product<T>& g, const StagePlan& plan, T* c,
                           int rows, int cols) const {
        const bool reads = !N::is_zero(g.beta);
#pragma unroll
        for (int j = 0; j < tn; ++j)
#pragma unroll
            for (int i = 0; i < tm; ++i) {
                const int row = x + i * plan.down, col = y + j * plan.right;
                if (row >= rows || col >= cols || ((i + j * tm) & (plan.deep - 1)) != q) continue;
                T& out = c[row + col * plan.c.line];
                auto value = g.k > 0 ? N::times(g.alpha, sum[j][i]) : typename N::Sum{};
                if (reads) value = N::plus(value, N::times(g.beta, N::load(out)));
                out = N::store(value);
            }
    }
};

template <class Tile>
__global__ void __launch_bounds__(Tile::threads, Tile::blocks)
    stage_kernel(const __grid_constant__ Batch x, const __grid_constant__ StagePlan plan) {
    using T = typename Tile::T;
    using Part = StagePart<Tile>;
    constexpr int threads = Tile::threads;
    extern __shared__ __align__(16) unsigned char memory[];
    T* const stage = reinterpret_cast<T*>(memory + 2 * plan.table);
    const Product<T> g = product_of<T, Shapes::one>(x, 0);
    const int lda = static_cast<int>(x.a.ld.all), ldb = static_cast<int>(x.b.ld.all),
              ldc = static_cast<int>(x.c.ld.all);
    const bool reads = !Number<T>::is_zero(g.beta);
    const Part part(plan);
    const int parts = plan.parts_m * plan.parts_n;
    const index_t chunks = (x.count + plan.products - 1) / plan.products, items = chunks * parts;

    const auto table = [&](int which, int matrix) {
        return reinterpret_cast<const T**>(memory + which * plan.table) + matrix * plan.products;
    };
    const auto products_of = [&](index_t first) {
        return static_cast<int>(min(x.count - first, index_t{plan.products}));
    };
    const auto first_of = [&](index_t item) {
        return (parts == 1 ? item : item / parts) * plan.products;
    };
    // Pointers come to the table while matrices of the products before them do.
    const auto look_up = [&](int which, index_t item) {
        if (plan.table == 0 || item >= items) return;
        const index_t first = first_of(item);
        const int products = products_of(first);
        for (int p = own_thread(); p < products; p += threads) {
            if (x.a.array != nullptr) copy_ahead<8>(table(which, 0) + p, x.a.array + first + p, 8);
            if (x.b.array != nullptr) copy_ahead<8>(table(which, 1) + p, x.b.array + first + p, 8);
            if (x.c.array != nullptr) copy_ahead<8>(table(which, 2) + p, x.c.array + first + p, 8);
        }
    };

    int which = 0;
    if (plan.table > 0) {
        look_up(0, blockIdx.x);
        end_of_copies();
        wait_for_copies<0>();
    }
    for (index_t item = blockIdx.x; item < items; item += gridDim.x, which ^= 1) {
        const index_t first = first_of(item);
        const int number = parts == 1 ? 0 : static_cast<int>(item % parts);
        const int row = number % plan.parts_m * plan.edge_m, col = number / plan.parts_m * plan.edge_n;
        const int rows = min(plan.edge_m, g.m - row), cols = min(plan.edge_n, g.n - col);
        const int products = products_of(first);
        const auto places = [&](const BatchMatrix& of, int matrix, index_t offset) {
            return StagePlaces<T>{of, of.array != nullptr ? table(which, matrix) : nullptr, first,
                                  offset};
        };
        const StagePlaces<T> of_c = places(x.c, 2, row + col * static_cast<index_t>(ldc));
        const StageExtent extent_c{products, cols, rows};
        typename Part::Sums sum = {};
        for (int slab = 0; slab < plan.slabs; ++slab) {
            const int l = slab * plan.slab, k = min(plan.slab, g.k - l);
            const bool last = slab + 1 == plan.slabs;
            const StagePlaces<T> of_a =
                places(x.a, 0, plan.a.along ? row + l * static_cast<index_t>(lda)
                                            : l + row * static_cast<index_t>(lda));
            const StagePlaces<T> of_b =
                places(x.b, 1, plan.b.along ? col + l * static_cast<index_t>(ldb)
                                            : l + col * static_cast<index_t>(ldb));
            __syncthreads();
            if (k > 0) {
                bring<threads>(plan.a, stage, of_a, lda,
                               {products, plan.a.along ? k : rows, plan.a.along ? rows : k});
                bring<threads>(plan.b, stage, of_b, ldb,
                               {products, plan.b.along ? k : cols, plan.b.along ? cols : k});
            }
            if (last && reads) bring<threads>(plan.c, stage, of_c, ldc, extent_c);
            if (slab == 0) look_up(which ^ 1, item + gridDim.x);
            end_of_copies();
            wait_for_copies<0>();
            __syncthreads();
            for (int done = 0; done < products; done += part.slots) {
                const int p = min(done + part.slot, products - 1);
                const auto at = [&](const StageMatrix& s, const StagePlaces<T>& of) {
                    const int behind = bytes_behind(of[s.chained ? 0 : p]);
                    return stage + s.at + p * s.product + behind / static_cast<int>(sizeof(T));
                };
                if (plan.slabs == 1)
#pragma unroll
                    for (int j = 0; j < Tile::tn; ++j)
#pragma unroll
                        for (int i = 0; i < Tile::tm; ++i) sum[j][i] = {};
                part.multiply(sum, g, plan, at(plan.a, of_a), at(plan.b, of_b), rows, cols, k);
                if (!last) continue;
                part.join(sum, plan.deep);
                if (part.writes && done + part.slot < products)
                    part.finish(sum, g, plan, at(plan.c, of_c), rows, cols);
            }
        }
        __syncthreads();
        send<threads>(plan.c, stage, of_c, ldc, extent_c);
    }
}

}  // namespace gemmill::batch
