// SPDX-License-Identifier: Apache-2.0
// What ranks must send at least, to judge what they do send.
#pragma once

#include <algorithm>

#include "rank/update/update.hpp"

namespace gemmill {

struct NetBound {
    double cosma = 0;       ///< 2 m n k / (P sqrt(S)) elements for each of P ranks
    double compulsory = 0;  ///< what an even share of the products touches beyond what a rank has
    double layout = 0;      ///< the same where the matrices lie as they do
    double bytes() const { return std::max({cosma, compulsory, layout}); }
};

/// Bytes of all ranks together for an even share each of an m x n x k product; `memory` is what a
/// rank has for its part of the matrices and for the call. The compulsory part is the bound of Al
/// Daas et al., "Tight memory-independent parallel matrix multiplication communication lower
/// bounds" (SPAA 2022), for ranks that begin with even shares of all three matrices. Nothing is
/// known of a layout.
NetBound net_bound(Type type, index_t m, index_t n, index_t k, int ranks, double memory);
/// The same with the layout of the matrices, for C += A B.
NetBound net_bound(const DistUpdate& update, int ranks, double memory);

/// Bytes that all ranks together send at least when each makes one brick of a tree (BrickTree) of
/// as many bricks as ranks, each equally large up to whole indices: whatever the tree, whichever
/// indices a brick has, whoever makes it. A rank gets what it does not store of the elements of A
/// and B in its brick, and sends a sum of each element of C in it that it does not store.
///
/// It is no bound for ranks that share the work otherwise, in other shapes or unevenly: stationary
/// A, B and C are such bricks where all places of the grid store equally much, and may send less
/// where they do not, since who stores more then makes more. Where a matrix has replicas nothing is
/// known: 0.
double layout_bound(const DistUpdate& update, int ranks);

/// Section III.B.1 of the GEMM paper on PaRSEC, in bytes of all ranks: of the rows of A and columns
/// of B of each block of row_block x col_block of C a rank gets what the others have.
double paper_net_bytes(Type type, index_t m, index_t n, index_t k, int grid_rows, int grid_cols,
                       index_t row_block, index_t col_block);

}  // namespace gemmill
