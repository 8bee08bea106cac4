// SPDX-License-Identifier: Apache-2.0
// A product on one grid of ranks, as data without elements.
#pragma once

#include <algorithm>

#include "rank/program/emit/emit.hpp"
#include "rank/share/choose.hpp"

namespace gemmill::test {

/// C = A B, all on one grid in square blocks.
struct Product {
    Product(index_t m, index_t n, index_t k, int p, int q, index_t edge = 16)
        : ranks(p * q), block(edge) {
        a = matrix(m, k, p, q), b = matrix(k, n, p, q);
        update.m = m, update.n = n, update.k = k;
        update.c = matrix(m, n, p, q);
        update.terms = {{{&a}, {&b}, {1, 0}}};
    }
    RankMatrix matrix(index_t rows, index_t cols, int p, int q) const {
        BlockCyclic x;
        x.rows = rows, x.cols = cols, x.row_block = x.col_block = block;
        x.grid_rows = p, x.grid_cols = q;
        return {Distribution(x, ranks), {{nullptr, std::max<index_t>(1, rows)}}};
    }
    RankProgram program(const DistChoice& choice, int rank) const {
        return emit_program(update, choice.work, choice.cut, rank, ranks);
    }
    DistChoice choose(const DistPolicy& policy) const {
        return choose_work(update, policy, {20, 1}, ranks);
    }

    int ranks;
    index_t block;
    RankMatrix a, b;
    DistUpdate update;
};

inline DistPolicy named(const char* name) {
    DistPolicy policy;
    policy.name = name;
    return policy;
}

/// Bytes that all ranks send.
inline std::int64_t sent_by_all(const Product& x, const DistChoice& choice) {
    std::int64_t sent = 0;
    for (int rank = 0; rank < x.ranks; ++rank) sent += x.program(choice, rank).sent_bytes;
    return sent;
}

}  // namespace gemmill::test
