// SPDX-License-Identifier: Apache-2.0
// What a file of a type provides. It defines Classes<T> with the kernels of the type, and makes
// OfType<T> of it.
#pragma once

#include "kernel/cuda/compiled/of_type.cuh"
#include "kernel/cuda/many_shapes/classes.cuh"
#include "kernel/cuda/one_shape/run.cuh"
#include "kernel/cuda/one_shape/stage/fitted_tiles.cuh"
#include "kernel/cuda/one_shape/stage/run.cuh"

namespace gemmill::batch {

inline constexpr int warps_at_once = 16, small_blocks = 4;

// Kernels by what they are made of.
template <class T, int edge>
constexpr Kernel tiny(const char* name) {
    return {name, edge, edge, run_tiny<T, edge>, work_of_tiles<edge, 1, edge, 64>};
}
/// Products of one slab, a warp each.
template <class T, class Tile>
constexpr Kernel pack(const char* name) {
    return {name, Tile::tile_m, Tile::slab, pack_all<T, Tile>,
            work_of_tiles<Tile::tile_m, Tile::tile_n, Tile::slab, warps_at_once>};
}
template <class T, class Tile>
constexpr Kernel warp(const char* name) {
    return {name, Tile::tile_m, 0, warp_all<T, Tile>,
            work_of_tiles<Tile::tile_m, Tile::tile_n, Tile::slab, warps_at_once>};
}
/// Products without gaps between them.
template <class Tile>
constexpr Kernel chain(const char* name) {
    constexpr int largest = 32;
    return {name, largest, 0, chain_all<Tile>, chain_work<Tile>, takes_chain<Tile>};
}
/// blocks: on a multiprocessor.
template <class T, class Tile, int blocks>
constexpr Kernel pipe(const char* name) {
    return {name, 0, 0, pipe_all<T, Tile, blocks>,
            work_of_tiles<Tile::tile_m, Tile::tile_n, Tile::slab, blocks>};
}
template <class T, class Tile>
constexpr Kernel fma(const char* name) {
    return {name, 0, 0, fma_all<T, Tile>,
            work_of_tiles<Tile::tile_m, Tile::tile_n, Tile::depth, small_blocks>};
}
/// Products of any shape, in shared memory.
template <class Tile>
constexpr Kernel stage(const char* name) {
    return {name, 0, 0, stage_all<Tile>, stage_work_of<Tile>};
}

/// The kernel of a tile as it is fitted to shapes.
template <class Tile>
constexpr Fittable fit(const char* name) {
    return {name, Tile::threads, stage_plan_of<Tile>};
}
/// In the order of their texts (fitted/texts.cu).
template <class T>
constexpr Fittable all_fits[] = {
    fit<typename FittedTiles<T>::Row>(FittedTiles<T>::Row::tn == 3 ? "stage1x3" : "stage1x5"),
    fit<typename FittedTiles<T>::Double>("double3x3"),
};

template <class T>
std::span<const Kernel> OfType<T>::kernels() {
    return Classes<T>::kernels;
}
template <class T>
std::span<const Fittable> OfType<T>::fits() {
    return all_fits<T>;
}
template <class T>
index_t OfType<T>::room_for_jobs(const Batch& x) {
    return batch::room_for_jobs(x, Classes<T>::limits);
}
template <class T>
cudaError_t OfType<T>::classes(const Batch& x, const Sorted& s, cudaStream_t stream) {
    return run_classes<T>(x, s, stream);
}
template <class T>
cudaError_t OfType<T>::early(const Batch& x, cudaStream_t stream) {
    return early_end<T>(x, stream);
}

}  // namespace gemmill::batch
