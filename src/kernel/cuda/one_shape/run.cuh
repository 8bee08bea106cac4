// SPDX-License-Identifier: Apache-2.0
// Kernels for batches of one shape as functions of a Kernel.
#pragma once

#include "kernel/batch_work.hpp"
#include "kernel/cuda/one_shape/chain.cuh"
#include "kernel/cuda/one_shape/kernel.hpp"
#include "kernel/cuda/one_shape/tiny.cuh"
#include "kernel/cuda/tile/run.cuh"

namespace gemmill::batch {

template <class T, int edge>
cudaError_t run_tiny(const Batch& x, Slot slot) {
    constexpr int threads = 256;
    const auto columns = static_cast<int>(x.n.all);
    const index_t needed = parts(x.count, threads / columns);
    if (x.m.all == edge && x.k.all == edge)
        return launch<tiny_kernel<T, Shapes::one, edge, true>>(needed, threads, 0, slot, x, columns,
                                                               slot.gate);
    return launch<tiny_kernel<T, Shapes::one, edge, false>>(needed, threads, 0, slot, x, columns,
                                                            slot.gate);
}

template <int tile_m, int tile_n, int slab, int blocks>
BatchWork work_of_tiles(const Batch& x, int processors) {
    return tile_work(x, {tile_m, tile_n, slab, blocks}, processors);
}
template <class T, class Tile>
cudaError_t pack_all(const Batch& x, Slot slot) {
    return run_pack<T, Tile>(x, Everything{}, x.count, slot);
}
template <class T, class Tile>
cudaError_t warp_all(const Batch& x, Slot slot) {
    return run_warp<T, Tile>(x, Everything{}, x.count, slot);
}
template <class T, class Tile, int blocks>
cudaError_t pipe_all(const Batch& x, Slot slot) {
    const auto grid = grid_of<Tile, Shapes::one>(x);
    return run_pipe<T, Tile, blocks>(x, grid, tiles_of(x, grid), slot);
}
template <class T, class Tile>
cudaError_t fma_all(const Batch& x, Slot slot) {
    const auto grid = grid_of<Tile, Shapes::one>(x);
    return run_fma<T, Tile>(x, grid, tiles_of(x, grid), slot);
}

template <class Tile, int many>
cudaError_t run_chain(const Batch& x, Slot slot) {
    const ChainPlan plan = chain_plan<Tile, many>(x);
    if (plan.products == 0) return cudaErrorInvalidValue;
    const SharedBytes shared{
        sizeof(typename Tile::T) * Tile::stages * static_cast<std::size_t>(plan.room), Tile::bytes};
    const auto run = [&]<bool trans_a, bool trans_b>() {
        return launch<chain_kernel<Tile, many, trans_a, trans_b>>(
            parts(x.count, plan.products), Tile::threads, shared, slot, x, plan, slot.gate);
    };
    if (x.op_a.all == Op::NoTrans)
        return x.op_b.all == Op::NoTrans ? run.template operator()<false, false>()
                                         : run.template operator()<false, true>();
    return x.op_b.all == Op::NoTrans ? run.template operator()<true, false>()
                                     : run.template operator()<true, true>();
}
template <class Tile>
cudaError_t chain_all(const Batch& x, Slot slot) {
    if (!is_chain(x)) return cudaErrorInvalidValue;
    return with_many<Tile>(x, [&]<int many>() { return run_chain<Tile, many>(x, slot); });
}
template <class Tile>
bool takes_chain(const Batch& x) {
    return is_chain(x) &&
           with_many<Tile>(x, [&]<int many>() { return chain_plan<Tile, many>(x).products > 0; });
}

}  // namespace gemmill::batch
