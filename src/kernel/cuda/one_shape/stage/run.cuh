// SPDX-License-Identifier: Apache-2.0
// How kernels of stage.cuh are launched.
#pragma once

#include "kernel/cuda/launch/launch.cuh"
#include "kernel/cuda/one_shape/stage/stage.cuh"
#include "kernel/cuda/one_shape/stage/work.hpp"

namespace gemmill::batch {

/// Bytes of matrices that a block has at a time, in one stage or in each of two, and of shared
/// memory that it may have.
template <class Tile>
constexpr int stage_room = Tile::stages == 1 ? 42 << 10 : 28 << 10;
inline constexpr int stage_most = 227 << 10;

template <class Tile>
StageLimits stage_limits(int processors) {
    constexpr int overhead = 2 << 10,
                  fitting = (stage_most + (1 << 10)) / (Tile::stages * stage_room<Tile> + overhead);
    StageLimits of{};
    of.tm = Tile::tm, of.tn = Tile::tn, of.threads = Tile::threads;
    of.lanes = Tile::lanes, of.stages = Tile::stages;
    of.room = stage_room<Tile>;
    of.blocks = std::min(Tile::blocks, fitting) * processors;
    of.processors = processors;
    return of;
}
/// Of the current device.
inline cudaError_t count_processors(int& processors) {
    int device = 0;
    if (const auto error = cudaGetDevice(&device)) return error;
    return cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
}
/// No products: the batch cannot be made so.
template <class Tile>
StagePlan stage_plan_of(const Batch& x, int processors) {
    const StagePlan plan =
        stage_plan(x, stage_limits<Tile>(processors), static_cast<int>(sizeof(typename Tile::T)));
    return plan.bytes > stage_most ? StagePlan{} : plan;
}
template <class Tile>
cudaError_t stage_all(const Batch& x, Slot slot) {
    int processors = 0;
    if (const auto error = count_processors(processors)) return error;
    const StagePlan plan = stage_plan_of<Tile>(x, processors);
    if (plan.products == 0) return cudaErrorInvalidValue;
    const SharedBytes shared{static_cast<std::size_t>(plan.bytes), stage_most};
    return launch<stage_kernel<Tile>>(parts(x.count, plan.products) * plan.parts(), Tile::threads,
                                      shared, slot, x, plan, slot.gate);
}
template <class Tile>
BatchWork stage_work_of(const Batch& x, int processors) {
    return stage_work(x, stage_limits<Tile>(processors),
                      static_cast<int>(sizeof(typename Tile::T)));
}

}  // namespace gemmill::batch
