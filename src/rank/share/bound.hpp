// SPDX-License-Identifier: Apache-2.0
// What ranks must send at least, to judge what they do send.
#pragma once

#include "gemmill/types.hpp"

namespace gemmill {

struct NetBound {
    double cosma = 0;       ///< 2 m n k / (P sqrt(S)) elements for each of P ranks
    double compulsory = 0;  ///< what an even share of the products touches beyond what a rank has
    double bytes() const { return cosma > compulsory ? cosma : compulsory; }
};

/// Bytes of all ranks together for an even share each of an m x n x k product; `memory` is what a
/// rank has for its part of the matrices and for the call. The compulsory part is the bound of Al
/// Daas et al., "Tight memory-independent parallel matrix multiplication communication lower
/// bounds" (SPAA 2022), for ranks that begin with even shares of all three matrices.
NetBound net_bound(Type type, index_t m, index_t n, index_t k, int ranks, double memory);

/// Section III.B.1 of the GEMM paper on PaRSEC, in bytes of all ranks: of the rows of A and columns
/// of B of each block of row_block x col_block of C a rank gets what the others have.
double paper_net_bytes(Type type, index_t m, index_t n, index_t k, int grid_rows, int grid_cols,
                       index_t row_block, index_t col_block);

}  // namespace gemmill
