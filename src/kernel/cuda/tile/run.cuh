// SPDX-License-Identifier: Apache-2.0
// How kernels of tiles are launched, for any source of them.
#pragma once

#include "kernel/cuda/launch/launch.cuh"
#include "kernel/cuda/tile/fma.cuh"
#include "kernel/cuda/tile/pipe.cuh"

namespace gemmill::batch {

inline constexpr int warp_threads = 128;

template <class T, class Tile, class Source>
cudaError_t run_pack(const Batch& x, const Source& source, index_t count, Slot slot) {
    return launch<mma_pack_kernel<Tile, T, Source, warp_threads>>(
        parts(count, warp_threads / 32), warp_threads, 0, slot, x, source, slot.gate);
}
template <class T, class Tile, class Source>
cudaError_t run_warp(const Batch& x, const Source& source, index_t count, Slot slot) {
    return launch<mma_kernel<Tile, T, Source, warp_threads>>(
        parts(count, warp_threads / 32), warp_threads, 0, slot, x, source, slot.gate);
}
template <class T, class Tile, int blocks, class Source>
cudaError_t run_pipe(const Batch& x, const Source& source, index_t tiles, Slot slot) {
    return launch<pipe_kernel<Tile, T, Source, blocks>>(
        tiles, Tile::threads, pipe_bytes<Tile, T, Source>, slot, x, source, slot.gate);
}
template <class T, class Tile, class Source>
cudaError_t run_fma(const Batch& x, const Source& source, index_t tiles, Slot slot) {
    return launch<fma_kernel<Tile, T, Source>>(tiles, Tile::threads, sizeof(typename Tile::Shared),
                                               slot, x, source, slot.gate);
}

template <class Tile, Shapes shapes>
GridSource<shapes> grid_of(const Batch& x) {
    return {static_cast<int>(parts(x.m.all, Tile::tile_m)),
            static_cast<int>(parts(x.n.all, Tile::tile_n))};
}
template <Shapes shapes>
index_t tiles_of(const Batch& x, const GridSource<shapes>& grid) {
    return x.count * grid.tiles_m * grid.tiles_n;
}

}  // namespace gemmill::batch
