// SPDX-License-Identifier: Apache-2.0
// What a kernel has to do for a batch of one shape, counted before it runs.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "gemmill/batch.hpp"

namespace gemmill {

/// What the numbers count is the kernel's own business, as long as each costs the same wherever it
/// is met. They are of one multiprocessor.
struct BatchWork {
    static constexpr std::size_t most = 8;
    double bytes = 0;  ///< to and from memory, of all
    std::array<double, most> counts{};
};

inline double unaligned(const BatchMatrix& of, index_t size) {
    const bool whole =
        of.ld.all * size % 16 == 0 &&
        (of.array != nullptr ||
         (of.stride * size % 16 == 0 && reinterpret_cast<std::uintptr_t>(of.data) % 16 == 0));
    return whole ? 0 : 1;
}

/// Bytes of `cols` lines of `rows` elements, in sectors of 32.
inline double bytes_of_matrix(index_t rows, index_t cols, index_t ld, index_t size) {
    constexpr index_t sector = 32;
    const index_t line = rows * size;
    if (ld == rows || cols == 1) return static_cast<double>(line * cols);
    const bool whole = line % sector == 0 && ld * size % sector == 0;
    // A line begins anywhere in a sector.
    return static_cast<double>(std::min(ld * size, whole ? line : line + sector - size)) *
           static_cast<double>(cols);
}

/// Of A, B and C read and C written, all products.
inline double traffic_of(const Batch& x) {
    const index_t size = bytes_of(x.type), m = x.m.all, n = x.n.all, k = x.k.all;
    const auto matrix = [&](const BatchMatrix& of, Op op, index_t rows, index_t cols) {
        const bool as_is = op == Op::NoTrans;
        return bytes_of_matrix(as_is ? rows : cols, as_is ? cols : rows, of.ld.all, size);
    };
    const double c = matrix(x.c, Op::NoTrans, m, n), read = x.beta.all == Scalar{} ? 0 : c;
    const double pointers = x.c.array == nullptr ? 0 : 24;
    return static_cast<double>(x.count) *
           (matrix(x.a, x.op_a.all, m, k) + matrix(x.b, x.op_b.all, k, n) + read + c + pointers);
}

/// The share of A, B and C that cannot be read 16 bytes at a time.
inline double unaligned_of(const Batch& x) {
    const index_t size = bytes_of(x.type);
    const auto a = static_cast<double>(x.m.all * x.k.all),
               b = static_cast<double>(x.k.all * x.n.all),
               c = static_cast<double>(x.m.all * x.n.all);
    return (a * unaligned(x.a, size) + b * unaligned(x.b, size) + c * unaligned(x.c, size)) /
           std::max(1.0, a + b + c);
}

/// How many parts of a size cover a whole.
inline double parts_of(index_t whole, index_t part) {
    const index_t count = (whole + part - 1) / part;
    return static_cast<double>(count);
}

/// Tiles of `tile_m` x `tile_n`, each so many steps of `slab`; a multiprocessor has `blocks` at a
/// time.
struct TileShape {
    int tile_m, tile_n, slab, blocks;
};
inline BatchWork tile_work(const Batch& x, const TileShape& of, int processors) {
    const double count = static_cast<double>(x.count) / processors;
    const double tiles = parts_of(x.m.all, of.tile_m) * parts_of(x.n.all, of.tile_n);
    const double deep = std::max(1.0, parts_of(x.k.all, of.slab)), steps = tiles * deep;
    const double rounds = std::ceil(count * tiles / of.blocks);
    BatchWork work;
    work.bytes = traffic_of(x);
    work.counts = {count,
                   count * tiles,
                   count * steps,
                   count * steps * unaligned_of(x),
                   count * static_cast<double>(x.m.all * x.n.all),
                   rounds,
                   rounds * deep,
                   count * static_cast<double>((x.m.all + x.n.all) * x.k.all) * unaligned_of(x)};
    return work;
}

}  // namespace gemmill
