// SPDX-License-Identifier: Apache-2.0
// How the elements of a matrix lie over ranks, as data.
#pragma once

#include <cstdint>
#include <vector>

#include "gemmill/types.hpp"

namespace gemmill {

/// How ranks are numbered over a grid: along its rows (rank = row * grid_cols + col) or columns.
enum class RankOrder : char { RowMajor = 'R', ColMajor = 'C' };

/// Two-dimensional block-cyclic, as ScaLAPACK has it. Block (i, j) of row_block x col_block
/// elements is on grid row (i + row_source) mod grid_rows and grid column (j + col_source) mod
/// grid_cols; each rank stores its blocks column-major in one array, without gaps.
struct BlockCyclic {
    index_t rows = 0, cols = 0;
    index_t row_block = 1, col_block = 1;
    int grid_rows = 1, grid_cols = 1;
    RankOrder order = RankOrder::RowMajor;
    /// The grid row and column of the first block; `replicated`: every one has all rows (columns).
    static constexpr int replicated = -1;
    int row_source = 0, col_source = 0;
    /// Sizes of the first blocks; 0: as all others.
    index_t first_row_block = 0, first_col_block = 0;
    /// The rank at each place of the grid, counted along its rows; empty: as `order` says.
    std::vector<int> ranks;
};

/// Any grid of blocks: row cuts 0 = r0 < r1 < ... = rows, the same of columns, and the rank that
/// owns each block, counted down the columns of blocks.
struct BlockGrid {
    std::vector<index_t> row_cuts, col_cuts;
    std::vector<int> owners;
};

/// Rows (or columns) that grid row (column) `at` has of `size` in blocks: ScaLAPACK's numroc.
/// `first` is the size of the first block, 0: as all others.
GEMMILL_API index_t local_size(index_t size, index_t block, int at, int source, int parts,
                               index_t first = 0);
/// Rows and columns of the local array of a rank; 0 x 0 outside the grid.
struct LocalShape {
    index_t rows = 0, cols = 0;
    bool operator==(const LocalShape&) const = default;
};
GEMMILL_API LocalShape local_shape(const BlockCyclic& matrix, int rank);
/// The rank at a place of the grid.
GEMMILL_API int rank_at(const BlockCyclic& matrix, int row, int col);

}  // namespace gemmill
