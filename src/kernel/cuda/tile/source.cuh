// SPDX-License-Identifier: Apache-2.0
// Which products, or tiles of them, a block makes. begin() and end() are called first and last: of
// kernels that run one behind the other for parts of a batch, the next may begin before one ends.
#pragma once

#include "kernel/cuda/tile/job.cuh"

namespace gemmill::batch {

/// Products of a list that another kernel made, each a tile.
struct Listed {
    static constexpr Shapes shapes = Shapes::many;
    const int* list;
    const unsigned long long* length;
    RingBehind behind{};

    __device__ void begin() const { start_next(behind); }
    __device__ static void end() { end_after_earlier(); }
    __device__ index_t count(const Batch&) const { return static_cast<index_t>(*length); }
    __device__ index_t operator[](index_t w) const { return list[w]; }
};
/// All products of a batch of one shape.
struct Everything {
    static constexpr Shapes shapes = Shapes::one;

    __device__ static void begin() {}
    __device__ static void end() {}
    __device__ index_t count(const Batch& x) const { return x.count; }
    __device__ index_t operator[](index_t w) const { return w; }
};

/// All products have as many tiles; those of smaller ones that lie outside are passed over. A block
/// makes every gridDim.x-th.
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
    __device__ static void begin() {}
    __device__ static void end() {}

    template <int>
    struct Cursor {
        index_t w = blockIdx.x;
    };
    /// The next tile that there is.
    template <class Tile, class T, int ahead>
    __device__ void put(const Batch& x, Job<T>& to, Cursor<ahead>& at) const {
        for (const index_t all = count(x); at.w < all;) {
            const TileOf tile = get<Tile>(x, at.w);
            at.w += gridDim.x;
            const Product<T> g = product_of<T, shapes>(x, tile.product);
            if (tile.row >= g.m || tile.col >= g.n) continue;
            to = job_of(g, tile.row, tile.col);
            return;
        }
        to.m = 0;
    }
};

/// Products of several tiles each: as many as the counter says in its upper bits, with as many
/// tiles as it says in its lower ones. Slot s has a product, and its first tile among those of all.
inline constexpr int tile_bits = 33;
struct TileList {
    static constexpr Shapes shapes = Shapes::many;
    const unsigned long long* counter;
    const int* products;
    const index_t* first;

    __device__ static void begin() { start_next(); }
    __device__ static void end() { end_after_earlier(); }
    __device__ static index_t tiles_of(unsigned long long counter) {
        return static_cast<index_t>(counter & ((1ULL << tile_bits) - 1));
    }
    __device__ static int products_of(unsigned long long counter) {
        return static_cast<int>(counter >> tile_bits);
    }
    __device__ index_t count(const Batch&) const { return tiles_of(*counter); }
    template <class Tile>
    __device__ TileOf get(const Batch& x, index_t w) const {
        const int slot = find(first, products_of(*counter), w);
        const index_t p = products[slot];
        const int tile = static_cast<int>(w - first[slot]);
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
