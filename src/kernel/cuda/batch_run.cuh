// SPDX-License-Identifier: Apache-2.0
// How kernels for batches are launched: as many blocks as run at once, or fewer.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>

#include "kernel/cuda/batch_kernels.hpp"
#include "kernel/cuda/batch_pipe.cuh"
#include "kernel/cuda/batch_sort.cuh"
#include "kernel/cuda/batch_tile.cuh"
#include "kernel/cuda/batch_tiny.cuh"

namespace gemmill::batch {

inline constexpr int most_devices = 64;

/// Blocks of a kernel that the current device runs at once; asked once.
template <auto kernel>
cudaError_t blocks_at_once(int threads, std::size_t shared, int& blocks) {
    static std::array<std::atomic<int>, most_devices> known{};
    int device = 0;
    if (const auto error = cudaGetDevice(&device)) return error;
    std::atomic<int>& kept = known[static_cast<std::size_t>(device % most_devices)];
    blocks = kept.load(std::memory_order_relaxed);
    if (blocks > 0) return cudaSuccess;
    const auto bytes = static_cast<int>(shared);
    if (const auto error =
            cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes))
        return error;
    int of_one = 0, processors = 0;
    if (const auto error =
            cudaOccupancyMaxActiveBlocksPerMultiprocessor(&of_one, kernel, threads, shared))
        return error;
    if (const auto error =
            cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device))
        return error;
    blocks = std::max(1, of_one * processors);
    kept.store(blocks, std::memory_order_relaxed);
    return cudaSuccess;
}

/// `needed` blocks would have a piece of work each.
template <auto kernel, class... Args>
cudaError_t launch(index_t needed, int threads, std::size_t shared, cudaStream_t stream,
                   const Args&... args) {
    if (needed == 0) return cudaSuccess;
    int blocks = 0;
    if (const auto error = blocks_at_once<kernel>(threads, shared, blocks)) return error;
    const auto grid = static_cast<unsigned>(std::min<index_t>(needed, blocks));
    kernel<<<grid, static_cast<unsigned>(threads), shared, stream>>>(args...);
    return cudaPeekAtLastError();
}

inline index_t parts(index_t whole, index_t part) { return (whole + part - 1) / part; }
inline constexpr index_t any_number = index_t{1} << 31;

template <class T, int edge>
cudaError_t run_tiny(const Batch& x, cudaStream_t stream) {
    constexpr int threads = 256;
    const auto columns = static_cast<int>(x.n.all);
    const index_t needed = parts(x.count, threads / columns);
    if (x.m.all == edge && x.k.all == edge)
        return launch<tiny_kernel<T, Shapes::one, edge, true>>(needed, threads, 0, stream, x,
                                                               columns);
    return launch<tiny_kernel<T, Shapes::one, edge, false>>(needed, threads, 0, stream, x, columns);
}

inline constexpr int warp_threads = 128;

template <class T, class Tile, class Source>
cudaError_t run_pack(const Batch& x, const Source& source, index_t count, cudaStream_t stream) {
    return launch<mma_pack_kernel<Tile, T, Source, warp_threads>>(
        parts(count, warp_threads / 32), warp_threads, 0, stream, x, source);
}
template <class T, class Tile, class Source>
cudaError_t run_warp(const Batch& x, const Source& source, index_t count, cudaStream_t stream) {
    return launch<mma_kernel<Tile, T, Source, warp_threads>>(parts(count, warp_threads / 32),
                                                             warp_threads, 0, stream, x, source);
}
template <class T, class Tile, int blocks, class Source>
cudaError_t run_pipe(const Batch& x, const Source& source, index_t tiles, cudaStream_t stream) {
    return launch<pipe_kernel<Tile, T, Source, blocks>>(
        tiles, Tile::threads, sizeof(typename Tile::Stage) * Tile::stages, stream, x, source);
}
template <class T, class Tile, class Source>
cudaError_t run_fma(const Batch& x, const Source& source, index_t tiles, cudaStream_t stream) {
    return launch<fma_kernel<Tile, T, Source>>(tiles, Tile::threads, sizeof(typename Tile::Shared),
                                               stream, x, source);
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

// As functions of a Kernel.
template <class T, class Tile>
cudaError_t pack_all(const Batch& x, cudaStream_t stream) {
    return run_pack<T, Tile>(x, Everything{}, x.count, stream);
}
template <class T, class Tile>
cudaError_t warp_all(const Batch& x, cudaStream_t stream) {
    return run_warp<T, Tile>(x, Everything{}, x.count, stream);
}
template <class T, class Tile, int blocks>
cudaError_t pipe_all(const Batch& x, cudaStream_t stream) {
    const auto grid = grid_of<Tile, Shapes::one>(x);
    return run_pipe<T, Tile, blocks>(x, grid, tiles_of(x, grid), stream);
}
template <class T, class Tile>
cudaError_t fma_all(const Batch& x, cudaStream_t stream) {
    const auto grid = grid_of<Tile, Shapes::one>(x);
    return run_fma<T, Tile>(x, grid, tiles_of(x, grid), stream);
}

// --- many shapes --------------------------------------------------------------------------------

/// One block of device memory for the lists of a sort.
struct SortRoom {
    static constexpr int tile_lists = tile_classes + 1;
    static std::size_t bytes(index_t count) {
        const auto n = static_cast<std::size_t>(count);
        return head +
               n * (sizeof(index_t) * tile_lists + sizeof(int) * (list_classes + tile_lists));
    }
    static constexpr std::size_t head = 256;  // counters and lengths

    static Sorted lay_out(void* memory, index_t count) {
        auto* bytes = static_cast<char*>(memory);
        Sorted s;
        s.capacity = count;
        s.counters = reinterpret_cast<unsigned long long*>(bytes);
        s.lengths = reinterpret_cast<int*>(bytes + tile_lists * sizeof(unsigned long long));
        s.first = reinterpret_cast<index_t*>(bytes + head);
        s.products = reinterpret_cast<int*>(s.first + tile_lists * count);
        s.lists = s.products + tile_lists * count;
        return s;
    }
};

inline TileList large_of(const Sorted& s) {
    return {tile_classes, s.counters, s.products, s.first, s.capacity};
}
inline TileList far_of(const Sorted& s) {
    return {1, s.counters + tile_classes, s.products + tile_classes * s.capacity,
            s.first + tile_classes * s.capacity, s.capacity};
}

/// Whether products may be larger than a class, by the maxima when they are known.
inline bool may_exceed(const Batch& x, const ListClass& c) {
    const auto exceeds = [](const PerProduct<index_t>& size, int most) {
        return (size.each != nullptr && size.all == 0) || size.all > most;
    };
    return exceeds(x.m, c.edge) || exceeds(x.n, c.edge) || exceeds(x.k, c.k);
}

/// The kernels of a type for each class.
template <class T>
struct Classes;

template <class T>
cudaError_t run_classes(const Batch& x, const Sorted& s, cudaStream_t stream) {
    using C = Classes<T>;
    const auto list = [&](int q) { return Listed{s.lists + q * s.capacity, s.lengths + q}; };
    if (!is_near(x))
        if (const auto e = run_fma<T, typename C::Far>(x, far_of(s), any_number, stream)) return e;
    if (may_exceed(x, class_limits.list[3]))
        if (const auto e =
                run_pipe<T, typename C::Large, C::large_blocks>(x, large_of(s), any_number, stream))
            return e;
    if (may_exceed(x, class_limits.list[2]))
        if (const auto e =
                run_pipe<T, typename C::Of32, C::blocks_of_32>(x, list(3), x.count, stream))
            return e;
    if (may_exceed(x, class_limits.list[1]))
        if (const auto e = run_warp<T, typename C::Of24>(x, list(2), x.count, stream)) return e;
    if (may_exceed(x, class_limits.list[0]))
        if (const auto e = run_pack<T, typename C::Of16>(x, list(1), x.count, stream)) return e;
    return run_pack<T, typename C::Of8>(x, list(0), x.count, stream);
}

template <class T>
cudaError_t early_end(const Batch& x, cudaStream_t stream) {
    using Tile = typename Classes<T>::Large;
    const auto grid = grid_of<Tile, Shapes::many>(x);
    return run_pipe<T, Tile, Classes<T>::large_blocks>(x, grid, tiles_of(x, grid), stream);
}

/// What a file of a type provides.
template <class T>
struct OfType {
    static std::span<const Kernel> kernels();
    static cudaError_t classes(const Batch& x, const Sorted& s, cudaStream_t stream);
    static cudaError_t early(const Batch& x, cudaStream_t stream);
};

}  // namespace gemmill::batch
