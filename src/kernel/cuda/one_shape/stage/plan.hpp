// SPDX-License-Identifier: Apache-2.0
// How a block has products in shared memory (stage.cuh): how many at a time, in which parts,
// where each matrix lies, and which threads make what. Worked out by the host, once for a batch.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "kernel/batch_work.hpp"
#include "kernel/cuda/one_shape/stage/matrix.hpp"
#include "kernel/cuda/part/banks.hpp"

namespace gemmill::batch {

/// A block makes `products` at a time, or one part of one of them, slab after slab of k. A product
/// has down x right x deep threads: along a column and a row of C, and along k.
struct StagePlan {
    int products;
    int edge_m, edge_n, parts_m, parts_n;
    int slab, slabs;
    int down, right, deep, log_deep;
    unsigned by_tiles, by_down;  // reciprocals
    bool bulk;                   // some matrix comes in bulk
    bool turned;               // threads begin with different k, so that they read different banks
    StageMatrix a, b, c, out;  // out: C as it goes back
    int table;                 // bytes of a table of pointers, two for each stage; 0: none
    bool may_chain;            // some matrix may, so that pointers are looked at
    int stage;                 // bytes of a stage
    int bytes;                 // of shared memory
    int parts() const { return parts_m * parts_n; }
};

/// What a plan is made for.
struct StageLimits {
    int tm, tn, threads;  // elements of C that a thread makes, threads of a block
    int room;             // bytes of matrices of a stage in shared memory, about
    int blocks;           // that the GPU runs at once
    int processors;
    int stages = 1;
    int lanes = 1;   // threads that make a tile together
    int bulk = 256;  // bytes of a line from which on it is copied by one instruction
};
inline constexpr int stage_barriers = 16;  // bytes before the tables

inline void set_matrices(StagePlan& p, const Batch& x, int size) {
    const bool turned_a = x.op_a.all != Op::NoTrans, turned_b = x.op_b.all != Op::NoTrans;
    const index_t m = x.m.all, n = x.n.all, k = x.k.all;
    p.a = turned_a ? stage_matrix(x.a, k, m, p.slab, p.edge_m, false, size)
                   : stage_matrix(x.a, m, k, p.edge_m, p.slab, true, size);
    p.b = turned_b ? stage_matrix(x.b, n, k, p.edge_n, p.slab, true, size)
                   : stage_matrix(x.b, k, n, p.slab, p.edge_n, false, size);
    p.c = stage_matrix(x.c, m, n, p.edge_m, p.edge_n, true, size);
    p.out = p.c;
    // Between the columns of C nothing is written.
    if (x.c.ld.all != p.edge_m) {
        p.out.flat = p.out.chained = p.out.may_chain = false;
        p.out.lines = p.edge_n, p.out.length = p.edge_m;
        // Pieces of 16 bytes would be cut at both ends, and cost a write for each element there.
        const bool cut = x.c.ld.all * size % 16 != 0 || p.edge_m * size % 16 != 0;
        p.out.by_elements = (size == 16 || cut) && (p.c.chained || p.c.may_chain);
    }
}

inline index_t bytes_of(const StagePlan& p, index_t products, int size) {
    return stage_bytes(p.a, products, size) + stage_bytes(p.b, products, size) +
           stage_bytes(p.c, products, size);
}

/// The edge of parts that are about alike.
inline int even_part(index_t whole, index_t most, int unit) {
    most = std::max<index_t>(unit, most / unit * unit);
    const index_t parts = parts_of(whole, most);
    return static_cast<int>(std::min(whole, up_to(parts_of(whole, parts), unit)));
}

/// Half of an edge in whole units, where that is less and not too little.
inline bool halve(int& edge, int unit) {
    constexpr int least = 16;
    const int half = std::max(least, static_cast<int>(up_to(parts_of(edge, 2), unit)));
    if (half >= edge) return false;
    edge = half;
    return true;
}

/// Parts of C whose threads a block has, and which leave room for A and B.
inline void set_parts(StagePlan& p, const Batch& x, const StageLimits& of, int size) {
    const index_t m = x.m.all, n = x.n.all, workers = of.threads / of.lanes;
    const index_t most = std::min<index_t>(workers * of.tm * of.tn, of.room / size / 2);
    p.edge_m = even_part(m, std::min<index_t>(most / of.tn, workers * of.tm), of.tm);
    const index_t down = parts_of(p.edge_m, of.tm);
    p.edge_n = even_part(n, std::min(most / p.edge_m, workers / down * of.tn), of.tn);
    const auto items = [&] { return x.count * parts_of(m, p.edge_m) * parts_of(n, p.edge_n); };
    // Few products are cut so that all multiprocessors have a part.
    const auto halve_one = [&] {
        return p.edge_m > p.edge_n ? halve(p.edge_m, of.tm) || halve(p.edge_n, of.tn)
                                   : halve(p.edge_n, of.tn) || halve(p.edge_m, of.tm);
    };
    while (items() < of.processors && halve_one()) {
    }
    p.parts_m = static_cast<int>(parts_of(m, p.edge_m));
    p.parts_n = static_cast<int>(parts_of(n, p.edge_n));
    p.down = static_cast<int>(parts_of(p.edge_m, of.tm));
    p.right = static_cast<int>(parts_of(p.edge_n, of.tn));
}

/// As much of k as there is room for.
inline void set_slab(StagePlan& p, const Batch& x, const StageLimits& of, int size) {
    constexpr index_t unit = 8;
    const index_t k = std::max<index_t>(1, x.k.all);
    p.slab = static_cast<int>(std::min<index_t>(k, 1 << 14));
    set_matrices(p, x, size);
    while (bytes_of(p, 1, size) > of.room && p.slab > unit) {
        const index_t parts = parts_of(k, p.slab) + 1;
        const auto next = static_cast<int>(up_to(parts_of(k, parts), unit));
        p.slab = next < p.slab ? next : std::max<int>(unit, p.slab - unit);
        set_matrices(p, x, size);
    }
    p.slabs = static_cast<int>(parts_of(k, p.slab));
}

/// Threads along k where there are more threads than tiles of C, and k is long enough for them.
inline int threads_deep(const StagePlan& p, const StageLimits& of) {
    constexpr int warp = 32;
    const index_t tiles = static_cast<index_t>(p.products) * p.down * p.right;
    if (of.lanes > 1) return 1;
    int deep = 1;
    while (deep < warp && 2 * deep * tiles <= of.threads && 4 * deep <= p.slab) deep *= 2;
    return deep;
}

/// Times that shared memory must be read, of 128 bytes each, for what the first warp reads at a
/// time of A (or of B) in its first step. Threads of a quarter, half or whole warp are served at
/// once, by the size of an element, unless they read different words of one bank.
inline int reads_at_once(const StagePlan& p, const StageLimits& of, bool of_a, int size) {
    constexpr int warp = 32;
    const StageMatrix& s = of_a ? p.a : p.b;
    const int tiles = p.down * p.right;
    return reads_of_warp(
        std::min(warp, (p.products * tiles) << p.log_deep), size, size, [&](int lane) {
            const int rest = lane >> p.log_deep, product = rest / tiles, tile = rest % tiles;
            const int x = tile % p.down, y = tile / p.down;
            const int l = p.turned ? (x + y + product) % p.slab : lane & (p.deep - 1);
            const int edge = of_a ? std::min(x * of.tm, std::max(0, p.edge_m - of.tm))
                                  : std::min(y * of.tn, std::max(0, p.edge_n - of.tn));
            return static_cast<index_t>(product) * s.product +
                   (s.along ? edge + l * s.line : l + edge * s.line);
        });
}
inline int reads_of_step(const StagePlan& p, const StageLimits& of, int size) {
    constexpr int at_once = 128;
    if (of.lanes > 1) return static_cast<int>(parts_of((of.tm + of.tn) * size, at_once));
    return of.tm * reads_at_once(p, of, true, size) + of.tn * reads_at_once(p, of, false, size);
}

/// Where the matrices lie: C first, since more than there is may be read of A and B.
inline void set_places(StagePlan& p, const Batch& x, const StageLimits& of, int size) {
    const index_t products = p.products, past = up_to(of.tm + of.tn, 16);
    p.a.at = static_cast<int>(stage_bytes(p.c, products, size) / size);
    p.b.at = p.a.at + static_cast<int>(stage_bytes(p.a, products, size) / size);
    const bool has_table = x.a.array != nullptr || x.b.array != nullptr || x.c.array != nullptr;
    // Three pointers a product, and what they are found to be.
    p.table = has_table ? static_cast<int>(up_to(3 * products * 8 + 8, 16)) : 0;
    p.may_chain = products > 1 && (p.a.may_chain || p.b.may_chain || p.c.may_chain);
    p.stage = static_cast<int>(up_to(bytes_of(p, products, size) + past * size, 16));
    p.bytes = stage_barriers + of.stages * (2 * p.table + p.stage);
}

/// As many whole products as there is room for, and a fair part of all.
inline void set_products(StagePlan& p, const Batch& x, const StageLimits& of, int size) {
    constexpr index_t most = 512;
    p.products = 1;
    if (p.parts() > 1 || p.slabs > 1) return;
    const index_t fitting =
        std::clamp<index_t>(of.room / std::max<index_t>(1, bytes_of(p, 1, size)), 1, most);
    // All blocks have as many.
    const index_t rounds = parts_of(x.count, fitting * of.blocks);
    p.products = static_cast<int>(parts_of(x.count, rounds * of.blocks));
}

/// Threads along k, and with which k they begin.
inline void set_threads(StagePlan& p, const StageLimits& of, int size) {
    for (StageMatrix* s : {&p.a, &p.b, &p.c, &p.out}) {
        set_copies(*s, p.products, size, of.threads);
        s->bulk = s->length * size >= of.bulk;
        s->bulk_chained = s->length * size * p.products >= of.bulk;
    }
    const auto is_bulk = [](const StageMatrix& s) {
        return s.chained || s.may_chain ? s.bulk_chained : s.bulk;
    };
    p.bulk = is_bulk(p.a) || is_bulk(p.b) || is_bulk(p.c);
    p.deep = threads_deep(p, of);
    p.log_deep = 0;
    while (1 << p.log_deep < p.deep) ++p.log_deep;
    p.by_tiles = reciprocal(p.down * p.right), p.by_down = reciprocal(p.down);
    p.turned = false;
    if (of.lanes > 1 || p.deep > 1 || p.slabs > 1 || p.slab < 2) return;
    const int straight = reads_of_step(p, of, size);
    p.turned = true;
    p.turned = 4 * reads_of_step(p, of, size) < 3 * straight;
}

/// No products: there are none.
inline StagePlan stage_plan(const Batch& x, const StageLimits& of, int size) {
    StagePlan p{};
    if (x.m.all <= 0 || x.n.all <= 0) return p;
    set_parts(p, x, of, size);
    set_slab(p, x, of, size);
    set_products(p, x, of, size);
    set_threads(p, of, size);
    set_places(p, x, of, size);
    return p;
}

}  // namespace gemmill::batch
