// SPDX-License-Identifier: Apache-2.0
// Which tile of which product a block makes.
#pragma once

#include "kernel/cuda/batch_product.cuh"

namespace gemmill::batch {

/// All products have as many tiles; those of smaller ones that lie outside are passed over.
template <Shapes shapes_>
struct GridSource {
    static constexpr Shapes shapes = shapes_;
    int tiles_m, tiles_n;

    __device__ index_t count(const Batch& x) const { return x.count * (tiles_m * tiles_n); }
    template <class Tile>
    __device__ TileOf get(const Batch&, index_t w) const {
        const int tiles = tiles_m * tiles_n;
        const index_t p = tiles == 1 ? w : w / tiles;
        const int tile = static_cast<int>(w - p * tiles);
        return {p, tile % tiles_m * Tile::tile_m, tile / tiles_m * Tile::tile_n};
    }
};

/// Products of several tiles, sorted by size: of each class as many as counters[class] says in its
/// upper bits, with as many tiles as it says in its lower ones. Slot s of a class has a product,
/// and its first tile among those of the class.
inline constexpr int tile_classes = 4, tile_bits = 33;
struct TileList {
    static constexpr Shapes shapes = Shapes::many;
    int classes;
    const unsigned long long* counters;
    const int* products;   // of class q from q * capacity on
    const index_t* first;  // the same
    index_t capacity;

    __device__ static index_t tiles_of(unsigned long long counter) {
        return static_cast<index_t>(counter & ((1ULL << tile_bits) - 1));
    }
    __device__ static int products_of(unsigned long long counter) {
        return static_cast<int>(counter >> tile_bits);
    }
    __device__ index_t count(const Batch&) const {
        index_t all = 0;
        for (int q = 0; q < classes; ++q) all += tiles_of(counters[q]);
        return all;
    }
    template <class Tile>
    __device__ TileOf get(const Batch& x, index_t w) const {
        int q = 0;
        while (w >= tiles_of(counters[q])) w -= tiles_of(counters[q++]);
        const index_t* starts = first + q * capacity;
        const int slot = find(starts, products_of(counters[q]), w);
        const index_t p = products[q * capacity + slot];
        const int tile = static_cast<int>(w - starts[slot]);
        const int down = (static_cast<int>(value_of(x.m, p)) + Tile::tile_m - 1) / Tile::tile_m;
        return {p, tile % down * Tile::tile_m, tile / down * Tile::tile_n};
    }

  private:
    /// The last start that is not behind w, by all lanes of a warp: a step makes 32 parts of one.
    __device__ static int find(const index_t* starts, int length, index_t w) {
        const int lane = threadIdx.x % 32;
        int low = 0;  // starts[low] <= w < starts[low + size]
        for (int size = length; size > 1;) {
            const int part = (size + 31) / 32, at = low + lane * part;
            const bool before = lane * part < size && starts[at] <= w;
            const int last = 31 - __clz(static_cast<int>(__ballot_sync(0xffffffffU, before)));
            size = min(part, size - last * part);
            low += last * part;
        }
        return low;
    }
};

}  // namespace gemmill::batch
