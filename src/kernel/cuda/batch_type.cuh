// SPDX-License-Identifier: Apache-2.0
// What a file of a type provides. It defines Classes<T> with the kernels of the type, and makes
// OfType<T> of it.
#pragma once

#include "kernel/cuda/batch_run.cuh"

namespace gemmill::batch {

// Kernels by what they are made of.
template <class T, int edge>
constexpr Kernel tiny(const char* name) {
    return {name, edge, edge, run_tiny<T, edge>};
}
/// Products of one slab, a warp each.
template <class T, class Tile>
constexpr Kernel pack(const char* name) {
    return {name, Tile::tile_m, Tile::slab, pack_all<T, Tile>};
}
template <class T, class Tile>
constexpr Kernel warp(const char* name) {
    return {name, Tile::tile_m, 0, warp_all<T, Tile>};
}
/// Products without gaps between them.
template <class Tile>
constexpr Kernel chain(const char* name) {
    constexpr int largest = 32;
    return {name, largest, 0, chain_all<Tile>, takes_chain<Tile>};
}
/// blocks: on a multiprocessor.
template <class T, class Tile, int blocks>
constexpr Kernel pipe(const char* name) {
    return {name, 0, 0, pipe_all<T, Tile, blocks>};
}
template <class T, class Tile>
constexpr Kernel fma(const char* name) {
    return {name, 0, 0, fma_all<T, Tile>};
}

template <class T>
std::span<const Kernel> OfType<T>::kernels() {
    return Classes<T>::kernels;
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
