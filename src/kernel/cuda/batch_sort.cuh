// SPDX-License-Identifier: Apache-2.0
// Products of many shapes are dealt into classes of size, on the GPU, so that nobody waits for the
// host to look at them.
#pragma once

#include "kernel/cuda/batch_mma.cuh"
#include "kernel/cuda/batch_source.cuh"

namespace gemmill::batch {

/// Products of one tile: m, n and k are at most these. What fits none has several tiles.
struct ListClass {
    int edge, k;
};
inline constexpr int list_classes = 4;
struct ClassLimits {
    ListClass list[list_classes];
    /// Larger ones begin with the largest: m, n or k is above this.
    int tiles_above[tile_classes];
};
inline constexpr ClassLimits class_limits{{{8, 8}, {16, 16}, {24, 64}, {32, 128}},
                                          {512, 256, 128, 0}};
/// Tiles of those, and of products that lie too far apart for 32 bits.
inline constexpr int large_tile = 64, far_tile = 32;

/// What the sort leaves in device memory, all for kernels that follow.
struct Sorted {
    int* lengths;                  // of the lists, list_classes of them
    int* lists;                    // list q from q * capacity on
    unsigned long long* counters;  // of tile classes; the last is of far ones
    int* products;
    index_t* first;
    index_t capacity;
};

__device__ inline bool is_far(const Batch& x, index_t p) {
    return value_of(x.a.ld, p) >= mma_largest_ld || value_of(x.b.ld, p) >= mma_largest_ld ||
           value_of(x.c.ld, p) >= mma_largest_ld;
}

/// The class of a product: a list, or list_classes + a tile class, or -1 when it is empty.
__device__ inline int class_of(const ClassLimits& limits, const Batch& x, index_t p, int& tiles) {
    const index_t m = value_of(x.m, p), n = value_of(x.n, p), k = value_of(x.k, p);
    if (m <= 0 || n <= 0) return -1;
    const index_t edge = max(m, n);
    const bool far = is_far(x, p);
    const int tile = far ? far_tile : large_tile;
    tiles = static_cast<int>(((m + tile - 1) / tile) * ((n + tile - 1) / tile));
    if (far) return list_classes + tile_classes;
    for (int q = 0; q < list_classes; ++q)
        if (edge <= limits.list[q].edge && k <= limits.list[q].k) return q;
    const index_t largest = max(edge, k);
    int q = 0;
    while (largest <= limits.tiles_above[q]) ++q;
    return list_classes + q;
}

/// A thread a product. A warp takes room in a list for all its products of a class at once.
template <int threads>
__global__ void __launch_bounds__(threads)
    sort_kernel(const __grid_constant__ Batch x, const __grid_constant__ ClassLimits limits,
                Sorted out) {
    const index_t p = static_cast<index_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    int tiles = 0;
    const int mine = p < x.count ? class_of(limits, x, p, tiles) : -1;
    const int lane = threadIdx.x % 32;
    for (int q = 0; q < list_classes + tile_classes + 1; ++q) {
        const unsigned who = __ballot_sync(0xffffffffU, mine == q);
        if (who == 0) continue;
        const int before = __popc(who & ((1U << lane) - 1)),
                  leader = __ffs(static_cast<int>(who)) - 1;
        if (q < list_classes) {
            int base = 0;
            if (lane == leader) base = atomicAdd(out.lengths + q, __popc(who));
            base = __shfl_sync(0xffffffffU, base, leader);
            if (mine == q) out.lists[q * out.capacity + base + before] = static_cast<int>(p);
            continue;
        }
        // Tiles of those before, and of all.
        int sum = mine == q ? tiles : 0;
        for (int step = 1; step < 32; step *= 2) {
            const int other = __shfl_up_sync(0xffffffffU, sum, step);
            if (lane >= step) sum += other;
        }
        const auto all = static_cast<unsigned>(__shfl_sync(0xffffffffU, sum, 31));
        unsigned long long base = 0;
        if (lane == leader)
            base = atomicAdd(out.counters + (q - list_classes),
                             (static_cast<unsigned long long>(__popc(who)) << tile_bits) + all);
        base = __shfl_sync(0xffffffffU, base, leader);
        if (mine != q) continue;
        const index_t slot =
            (q - list_classes) * out.capacity + TileList::products_of(base) + before;
        out.products[slot] = static_cast<int>(p);
        out.first[slot] = TileList::tiles_of(base) + sum - tiles;
    }
}

}  // namespace gemmill::batch
