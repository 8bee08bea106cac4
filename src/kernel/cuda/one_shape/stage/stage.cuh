// SPDX-License-Identifier: Apache-2.0
// Products of any shape by multiply-adds: all that a block needs of A, B and C comes to shared
// memory first, of several products where they are small, in pieces of 16 bytes wherever matrices
// begin and however far apart their columns are. So memory is as busy as with a copy; while one
// block multiplies, others of the multiprocessor copy. A thread makes tm x tn elements of C, or
// several threads do, each for some of k.
#pragma once

#include "kernel/cuda/one_shape/stage/mma.cuh"
#include "kernel/cuda/part/gate.cuh"

namespace gemmill::batch {

template <class Sum, int rows, int cols>
__device__ void clear(Sum (&sum)[cols][rows]) {
#pragma unroll
    for (int j = 0; j < cols; ++j)
#pragma unroll
        for (int i = 0; i < rows; ++i) sum[j][i] = Sum{};
}

/// What a block does at a time: a slab of k of some products, or of a part of one.
struct StageStep {
    index_t item;
    int slab, turn, number;  // turn: of the tables of pointers; number: of all steps
};

template <class Tile>
class StageBlock {
  public:
    using T = typename Tile::T;
    using Part = typename Tile::Part;
    static constexpr int threads = Tile::threads, stages = Tile::stages;

    __device__ StageBlock(const Batch& x, const StagePlan& plan, unsigned char* shared)
        : x_(x),
          plan_(plan),
          g_(product_of<T, Shapes::one>(x, 0)),
          memory_(shared),
          items_((x.count + plan.products - 1) / plan.products * plan.parts_m * plan.parts_n) {}

    __device__ void run() {
        StageStep now{static_cast<index_t>(blockIdx.x), 0, 0, 0};
        for (int i = 0; i < stages; ++i) look_up(now.item + i * gridDim.x, i);
        if (own_thread() < stages) open_barrier(barrier(own_thread()), threads);
        end_of_copies();
        wait_for_copies<0>();
        __syncthreads();
        if (plan_.may_chain) {
            for (int i = 0; i < stages; ++i) look_at(now.item + i * gridDim.x, i);
            __syncthreads();
        }
        if (stages > 1) bring(now);
        typename Part::Sums sum;
        while (now.item < items_) {
            const StageStep next = after(now);
            bring(stages > 1 ? next : now);
            wait_for_copies<stages - 1>();
            if (has_bulk_copy && plan_.bulk)
                wait_for_bulk(barrier(now.number % stages), now.number / stages);
            __syncthreads();
            if (plan_.may_chain)
                look_at(now.item + stages * static_cast<index_t>(gridDim.x), now.turn + stages);
            const View v = view_of(now);
            multiply(v, now, sum);
            if (!Tile::direct && next.slab == 0) {
                __syncthreads();
                send<threads>(plan_.out, layout_of(plan_.out, plan_.c, v.in_order(2)), stage(now),
                              v.c, ld(x_.c), {v.products, v.cols, v.rows});
            }
            if (has_bulk_copy && plan_.bulk) before_bulk();
            __syncthreads();
            now = next;
        }
    }

  private:
    /// Where the matrices of a step lie, and what of them is there.
    struct View {
        int rows, cols, k, products;
        int scattered;  // a bit for each matrix: its pointers do not follow one another
        StagePlaces<T> a, b, c;
        __device__ bool in_order(int matrix) const { return (scattered >> matrix & 1) == 0; }
    };

    /// Where products of a matrix lie in a stage, in elements. Of those that lie as in memory one
    /// address says how far behind a multiple of 16 bytes all are.
    class Where {
      public:
        __device__ Where(const StageMatrix& s, const View& v, const StagePlaces<T>& places,
                         int matrix)
            : lies_(layout_of(s, v.in_order(matrix))),
              first_(s.at + (lies_.chained ? elements_behind(places[0]) : 0)) {}
        __device__ int operator()(const StagePlaces<T>& places, int p) const {
            const int at = first_ + p * lies_.product;
            return lies_.chained ? at : at + elements_behind(places[p]);
        }

      private:
        __device__ static int elements_behind(const T* p) {
            return bytes_behind(p) / static_cast<int>(sizeof(T));
        }
        const StageLayout lies_;
        const int first_;
    };

    __device__ static int ld(const BatchMatrix& of) { return static_cast<int>(of.ld.all); }
    __device__ CopyBarrier* barrier(int i) const {
        return reinterpret_cast<CopyBarrier*>(memory_) + i;
    }
    __device__ T* stage(const StageStep& s) const {
        return reinterpret_cast<T*>(memory_ + stage_barriers + 2 * stages * plan_.table +
                                    s.number % stages * plan_.stage);
    }
    __device__ const T** table(int turn, int matrix) const {
        return reinterpret_cast<const T**>(memory_ + stage_barriers +
                                           turn % (2 * stages) * plan_.table) +
               matrix * plan_.products;
    }
    __device__ int& scattered(int turn) const { return *reinterpret_cast<int*>(table(turn, 3)); }
    __device__ int parts() const { return plan_.parts_m * plan_.parts_n; }
    /// Items of parts are fewer than 2^32: the products are large.
    __device__ index_t first_of(index_t item) const {
        if (parts() == 1) return item * plan_.products;
        return static_cast<unsigned>(item) / static_cast<unsigned>(parts());
    }
    __device__ int products_of(index_t first) const {
        return static_cast<int>(min(x_.count - first, index_t{plan_.products}));
    }
    __device__ StageStep after(const StageStep& s) const {
        if (s.slab + 1 < plan_.slabs) return {s.item, s.slab + 1, s.turn, s.number + 1};
        return {s.item + gridDim.x, 0, s.turn + 1, s.number + 1};
    }
    __device__ View view_of(const StageStep& s) const {
        const index_t first = first_of(s.item);
        const int number = parts() == 1 ? 0
                                        : static_cast<int>(static_cast<unsigned>(s.item) -
                                                           static_cast<unsigned>(first) * parts());
        const int row = number % plan_.parts_m * plan_.edge_m,
                  col = number / plan_.parts_m * plan_.edge_n, l = s.slab * plan_.slab;
        const auto places = [&](const BatchMatrix& of, int matrix, bool along, int edge, int deep) {
            const index_t line = along ? deep : edge, in_line = along ? edge : deep;
            return StagePlaces<T>{of, of.array != nullptr ? table(s.turn, matrix) : nullptr, first,
                                  in_line + line * of.ld.all};
        };
        return {min(plan_.edge_m, g_.m - row),
                min(plan_.edge_n, g_.n - col),
                min(plan_.slab, g_.k - l),
                products_of(first),
                plan_.may_chain ? scattered(s.turn) : 7,
                places(x_.a, 0, plan_.a.along, row, l),
                places(x_.b, 1, plan_.b.along, col, l),
                places(x_.c, 2, true, row, col)};
    }

    /// Pointers come to a table before they are needed.
    __device__ void look_up(index_t item, int turn) const {
        if (plan_.table == 0 || item >= items_) return;
        const index_t first = first_of(item);
        const int products = products_of(first);
        if (own_thread() == 0) scattered(turn) = 0;
        for (int p = own_thread(); p < products; p += threads) {
            const auto copy = [&](const BatchMatrix& of, int matrix) {
                if (of.array != nullptr)
                    copy_ahead<8>(table(turn, matrix) + p, of.array + first + p, 8);
            };
            copy(x_.a, 0), copy(x_.b, 1), copy(x_.c, 2);
        }
    }

    /// Whether pointers that have come follow one another, so that they can be copied as one line.
    __device__ void look_at(index_t item, int turn) const {
        if (item >= items_) return;
        const int products = products_of(first_of(item));
        const auto follow = [&](const StageMatrix& s, int matrix) {
            const T* const* const all = table(turn, matrix);
            for (int p = own_thread(); p < products; p += threads)
                if (all[p] != all[0] + static_cast<index_t>(p) * s.apart)
                    atomicOr(&scattered(turn), 1 << matrix);
        };
        if (plan_.a.may_chain) follow(plan_.a, 0);
        if (plan_.b.may_chain) follow(plan_.b, 1);
        if (plan_.c.may_chain) follow(plan_.c, 2);
    }

    /// All that a step needs, and the pointers of a later one.
    __device__ void bring(const StageStep& s) const {
        if (s.item < items_) {
            const View v = view_of(s);
            const bool along_a = plan_.a.along, along_b = plan_.b.along;
            T* const to = stage(s);
            CopyBarrier* const at = barrier(s.number % stages);
            int asked = 0;
            if (v.k > 0) {
                asked += batch::bring<threads>(
                    plan_.a, layout_of(plan_.a, v.in_order(0)), to, v.a, ld(x_.a),
                    {v.products, along_a ? v.k : v.rows, along_a ? v.rows : v.k}, at);
                asked += batch::bring<threads>(
                    plan_.b, layout_of(plan_.b, v.in_order(1)), to, v.b, ld(x_.b),
                    {v.products, along_b ? v.k : v.cols, along_b ? v.cols : v.k}, at);
            }
            if (s.slab + 1 == plan_.slabs && !Number<T>::is_zero(g_.beta))
                asked += batch::bring<threads>(plan_.c, layout_of(plan_.c, v.in_order(2)), to, v.c,
                                               ld(x_.c), {v.products, v.cols, v.rows}, at);
            if (has_bulk_copy && plan_.bulk) announce_copies(at, asked);
            if (s.slab == 0)
                look_up(s.item + stages * static_cast<index_t>(gridDim.x), s.turn + stages);
        }
        end_of_copies();
    }

    __device__ void multiply(const View& v, const StageStep& s, typename Part::Sums& sum) const {
        constexpr int lanes = Tile::lanes, workers = threads / lanes;
        const int own = static_cast<int>(threadIdx.x),
                  all = v.products * plan_.down * plan_.right * plan_.deep;
        const Where a(plan_.a, v, v.a, 0), b(plan_.b, v, v.b, 1), c(plan_.c, v, v.c, 2);
        T* const here = stage(s);
        // Whole warps go on together.
        for (int u = own / lanes, first = own / 32 * 32 / lanes; first < all;
             u += workers, first += workers) {
            const Part part(plan_, min(u, all - 1), v.rows, v.cols);
            const int p = part.product;
            if (s.slab == 0) clear(sum);
            part.multiply(sum, g_, here + a(v.a, p), here + b(v.b, p), v.k);
            if (s.slab + 1 < plan_.slabs) continue;
            part.join(sum);
            if (u >= all || part.q != 0) continue;
            T* const old = here + c(v.c, p);
            if constexpr (Tile::direct)
                part.finish(sum, g_, old, const_cast<T*>(v.c[p]), x_.c.ld.all);
            else
                part.finish(sum, g_, old, old, plan_.c.line);
        }
    }

    const Batch& x_;
    const StagePlan& plan_;
    const Product<T> g_;
    unsigned char* const memory_;
    const index_t items_;
};

template <class Tile>
__global__ void __launch_bounds__(Tile::threads, Tile::blocks)
    stage_kernel(const __grid_constant__ Batch x, const __grid_constant__ StagePlan plan,
                 const __grid_constant__ Gate gate = {}) {
    if (is_shut(gate)) return;
    extern __shared__ __align__(16) unsigned char memory[];
    StageBlock<Tile>(x, plan, memory).run();
}

}  // namespace gemmill::batch
