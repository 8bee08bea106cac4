// SPDX-License-Identifier: Apache-2.0
// What a warp does of a product in shared memory (stage.cuh) by tensor cores.
#pragma once

#include "kernel/cuda/one_shape/stage/part.cuh"
#include "kernel/cuda/part/shared_mma.cuh"

namespace gemmill::batch {

template <class Tile>
struct StageMmaPart;

/// A warp makes mt x nt fragments of rows x 8 elements of C.
template <class T_, int rows_, int depth_, int mt_, int nt_, int threads_, int blocks_>
struct StageMmaTile {
    using T = T_;
    using F = SharedFragments<T, rows_, depth_>;
    using Part = StageMmaPart<StageMmaTile>;
    static constexpr int rows = rows_, depth = depth_, mt = mt_, nt = nt_;
    static constexpr int tm = rows * mt, tn = 8 * nt, threads = threads_, blocks = blocks_;
    static constexpr int lanes = 32, stages = 1;
    static constexpr bool direct = false;
};

template <class Tile>
struct StageMmaPart {
    using T = typename Tile::T;
    using Sums = typename SharedFactors<Tile>::Sums;
    static constexpr int q = 0;
    const StagePlan& plan;
    int product, row, col, rows, cols;

    /// Number u of all warps of all products. rows and cols are those of the part of C.
    __device__ StageMmaPart(const StagePlan& plan_, int u, int rows_, int cols_)
        : plan(plan_), rows(rows_), cols(cols_) {
        const int tiles = plan.down * plan.right;
        product = static_cast<int>(quotient(static_cast<unsigned>(u), tiles, plan.by_tiles));
        const int tile = u - product * tiles;
        const auto y =
            static_cast<int>(quotient(static_cast<unsigned>(tile), plan.down, plan.by_down));
        row = (tile - y * plan.down) * Tile::tm, col = y * Tile::tn;
    }

    /// Adds what a slab of k adds.
    __device__ void multiply(Sums& sum, const Product<T>& g, const T* a, const T* b, int k) const {
        const bool along_a = plan.a.along, along_b = plan.b.along;
        const SharedFactors<Tile> factors(
            {a, row, rows, along_a ? 1 : plan.a.line, along_a ? plan.a.line : 1, g.conj_a},
            {b, col, cols, along_b ? 1 : plan.b.line, along_b ? plan.b.line : 1, g.conj_b});
        factors.multiply(sum, k);
    }
    __device__ void join(Sums&) const {}

    /// C in shared memory is finished, and goes to where columns are `line` apart.
    __device__ void finish(const Sums& sum, const Product<T>& g, const T* c, T* to,
                           index_t line) const {
        finish_fragments<Tile>(sum, g, {row, col, rows, cols, c, plan.c.line}, to, line);
    }
};

}  // namespace gemmill::batch
