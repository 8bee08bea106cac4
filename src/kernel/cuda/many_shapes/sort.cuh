// SPDX-License-Identifier: Apache-2.0
// Products of many shapes are dealt into classes of size, on the GPU, so that nobody waits for the
// host to look at them: one kernel counts, another writes lists and jobs.
#pragma once

#include "kernel/cuda/tile/near.hpp"
#include "kernel/cuda/tile/source.cuh"

namespace gemmill::batch {

/// Products that one kernel takes whole: m, n and k are at most these, and so are the elements of
/// A, B and C together. What fits none becomes jobs.
struct ListClass {
    int edge, k, elements;
};
inline constexpr int any_size = 1 << 24;
/// Of products in a tile: m and n, and k, are at most these.
constexpr ListClass in_tile(int edge, int k) { return {edge, k, any_size}; }
/// Of products in a ring of shared memory.
constexpr ListClass in_ring(int elements) { return {any_size, any_size, elements}; }
constexpr bool is_in(const ListClass& c, index_t m, index_t n, index_t k) {
    if (m > c.edge || n > c.edge || k > c.k) return false;
    if (m > c.elements || n > c.elements || k > c.elements) return false;  // not to overflow
    return m * k + k * n + m * n <= c.elements;
}
/// Jobs of one edge of tiles, the largest first. What a product costs by them: its area in parts of
/// grain x grain, which a warp can leave out, by the cost of an element.
struct TileClass {
    int tile, grain;
    float cost;
};
inline constexpr int list_classes = 6, tile_classes = 3;
struct ClassLimits {
    ListClass list[list_classes];  // the first that a product is in; empty ones are in none
    TileClass tiles[tile_classes];
};
inline constexpr int far_tile = 32;  // of products that lie too far apart for 32 bits

/// Jobs of a class are in order of k, roughly: the longest first.
inline constexpr int levels = 16;
inline constexpr int first_far = list_classes + tile_classes * levels, bins = first_far + 1;

__device__ inline int level_of(index_t k) {
    if (k < 16) return levels - 1;
    const int n = static_cast<int>(min(k, index_t{1} << 30)), log = 31 - __clz(n);
    return max(0, levels - 1 - (2 * (log - 4) + (n >> (log - 1) & 1)));
}

/// What the sort leaves in device memory, all for kernels that follow. The first four and `far` are
/// zeros before it begins.
struct Sorted {
    using Count = unsigned long long;
    Count* counts;  // of bins: products of lists, jobs of tile classes
    Count* filled;  // the same, of those that are written
    int* ranges;    // where jobs of tile classes begin, and the end
    int* taken;     // jobs of tile classes that blocks have taken
    Count* far;     // of a TileList
    int* far_products;
    index_t* far_first;
    int* lists;  // list q from q * count on
    void* jobs;
    index_t room;  // jobs that there is room for; products that have none are far
};

__device__ inline bool is_far(const Batch& x, index_t p) {
    return value_of(x.a.ld, p) >= mma_largest_ld || value_of(x.b.ld, p) >= mma_largest_ld ||
           value_of(x.c.ld, p) >= mma_largest_ld;
}

__device__ inline index_t tiles_of(index_t m, index_t n, int tile) {
    return (m + tile - 1) / tile * ((n + tile - 1) / tile);
}

/// Not one of which a smaller one would hold the product.
__device__ inline int cheapest_tile(const ClassLimits& limits, index_t m, index_t n) {
    const auto cost = [&](const TileClass& c) {
        return static_cast<float>(tiles_of(m, n, c.grain) * c.grain * c.grain) * c.cost;
    };
    int best = tile_classes - 1;
    for (int q = best; q > 0 && max(m, n) > limits.tiles[q].tile; --q)
        if (cost(limits.tiles[q - 1]) < cost(limits.tiles[best])) best = q - 1;
    return best;
}

/// Where a product goes, and how many entries it has there; without a bin it is empty.
struct Bin {
    int bin, tile;
    index_t entries;
};
__device__ inline Bin bin_of(const ClassLimits& limits, const Batch& x, index_t p) {
    constexpr Bin none{-1, 0, 0};
    if (p >= x.count) return none;
    const index_t m = value_of(x.m, p), n = value_of(x.n, p), k = value_of(x.k, p);
    if (m <= 0 || n <= 0) return none;
    if (is_far(x, p)) return {first_far, far_tile, 1};
    for (int q = 0; q < list_classes; ++q)
        if (is_in(limits.list[q], m, n, k)) return {q, 0, 1};
    const int q = cheapest_tile(limits, m, n), tile = limits.tiles[q].tile;
    return {list_classes + q * levels + level_of(k), tile, tiles_of(m, n, tile)};
}

/// What a block has counted of each bin. Most products are of few lists and have one entry there:
/// those are counted in 32 bits, for which shared memory has an instruction.
class BlockCounts {
  public:
    __device__ explicit BlockCounts(unsigned char* shared)
        : jobs_(reinterpret_cast<Sorted::Count*>(shared)),
          lists_(reinterpret_cast<unsigned*>(jobs_ + bins)) {}

    __device__ void clear(int q) {
        jobs_[q] = 0;
        if (q < list_classes) lists_[q] = 0;
    }
    /// How many entries were there before.
    __device__ Sorted::Count add(const Bin& x) {
        if (x.bin < list_classes) return atomicAdd(lists_ + x.bin, 1U);
        return atomicAdd(jobs_ + x.bin, static_cast<Sorted::Count>(x.entries));
    }
    __device__ Sorted::Count operator[](int q) const {
        return q < list_classes ? lists_[q] : jobs_[q];
    }

  private:
    Sorted::Count* jobs_;
    unsigned* lists_;
};
inline constexpr std::size_t count_bytes =
    bins * sizeof(Sorted::Count) + (list_classes + 1) / 2 * sizeof(Sorted::Count);
inline constexpr std::size_t sort_bytes = count_bytes + bins * sizeof(Sorted::Count);

/// A thread a product: how many entries each bin will have.
template <int threads>
__global__ void __launch_bounds__(threads)
    count_kernel(const __grid_constant__ Batch x, const __grid_constant__ ClassLimits limits,
                 const __grid_constant__ Sorted out) {
    extern __shared__ __align__(16) unsigned char memory[];
    BlockCounts counts(memory);
    for (int q = threadIdx.x; q < bins; q += threads) counts.clear(q);
    __syncthreads();
    const Bin mine = bin_of(limits, x, own_product());
    if (mine.bin >= 0) counts.add(mine);
    __syncthreads();
    for (int q = threadIdx.x; q < bins; q += threads)
        if (counts[q] > 0) atomicAdd(out.counts + q, counts[q]);
}

__device__ inline void put_far(const Sorted& out, const Batch& x, index_t p) {
    const index_t tiles = tiles_of(value_of(x.m, p), value_of(x.n, p), far_tile);
    const Sorted::Count base =
        atomicAdd(out.far, (Sorted::Count{1} << tile_bits) + static_cast<Sorted::Count>(tiles));
    out.far_products[TileList::products_of(base)] = static_cast<int>(p);
    out.far_first[TileList::products_of(base)] = TileList::tiles_of(base);
}

/// Jobs from `slot` on. Where they find no room, what room there is gets jobs of nothing.
template <class T>
__device__ void put_jobs(const Sorted& out, const Batch& x, index_t p, const Bin& bin,
                         index_t slot) {
    auto* jobs = static_cast<Job<T>*>(out.jobs);
    if (slot + bin.entries > out.room) {
        Job<T> nothing{};
        nothing.m = 1;
        for (; slot < out.room; ++slot) jobs[slot] = nothing;
        put_far(out, x, p);
        return;
    }
    const Product<T> g = product_of<T, Shapes::many>(x, p);
    for (int col = 0; col < g.n; col += bin.tile)
        for (int row = 0; row < g.m; row += bin.tile) jobs[slot++] = job_of(g, row, col);
}

/// A thread a product again. A block takes room in a bin for all its products at once.
template <class T, int threads>
__global__ void __launch_bounds__(threads)
    deal_kernel(const __grid_constant__ Batch x, const __grid_constant__ ClassLimits limits,
                const __grid_constant__ Sorted out) {
    extern __shared__ __align__(16) unsigned char memory[];
    BlockCounts of_block(memory);
    auto* starts = reinterpret_cast<Sorted::Count*>(memory + count_bytes);
    for (int q = threadIdx.x; q < bins; q += threads) of_block.clear(q);
    __syncthreads();
    const index_t p = own_product();
    const Bin mine = bin_of(limits, x, p);
    Sorted::Count slot = 0;
    if (mine.bin >= 0) slot = of_block.add(mine);
    __syncthreads();
    for (int q = threadIdx.x; q < bins; q += threads) {
        Sorted::Count before = 0;
        for (int r = list_classes; r < q; ++r) before += out.counts[r];
        if (blockIdx.x == 0 && q >= list_classes && (q - list_classes) % levels == 0)
            out.ranges[(q - list_classes) / levels] =
                static_cast<int>(min(static_cast<index_t>(before), out.room));
        starts[q] = before + (of_block[q] > 0 ? atomicAdd(out.filled + q, of_block[q]) : 0);
    }
    __syncthreads();
    if (mine.bin < 0) return;
    slot += starts[mine.bin];
    if (mine.bin < list_classes)
        out.lists[mine.bin * x.count + static_cast<index_t>(slot)] = static_cast<int>(p);
    else if (mine.bin < first_far)
        put_jobs<T>(out, x, p, mine, static_cast<index_t>(slot));
    else
        put_far(out, x, p);
}

}  // namespace gemmill::batch
