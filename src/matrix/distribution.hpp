// SPDX-License-Identifier: Apache-2.0
// Which rank has which elements: every distribution as index sets of ranks.
#pragma once

#include <string>
#include <vector>

#include "gemmill/distribution.hpp"
#include "matrix/index_set.hpp"

namespace gemmill {

/// A block of rows x columns that one rank stores with one address and one leading dimension.
struct Holding {
    IndexSet rows, cols;
    index_t block = 0;  ///< of a BlockGrid: which one
};

/// A place in a grid of ranks.
struct GridPlace {
    int row = -1, col = -1;
    bool operator==(const GridPlace&) const = default;
};

/// A block-cyclic matrix or a grid of blocks, or a sub-matrix of one. All indices are counted from
/// the first element of the sub-matrix.
class GEMMILL_API Distribution {
  public:
    Distribution() = default;
    /// Both throw Error(bad_argument) naming what cannot be meant.
    Distribution(const BlockCyclic& cyclic, int ranks);
    Distribution(const BlockGrid& grid, int ranks);
    /// Rows [row, row + rows) and the same of columns.
    Distribution part(index_t row, index_t col, index_t rows, index_t cols) const;

    index_t rows() const { return rows_; }
    index_t cols() const { return cols_; }
    /// Whether each rank has one Holding: the product of two index sets that its place in a grid
    /// gives.
    bool is_product() const { return blocks_.owners.empty(); }
    int grid_rows() const { return cyclic_.grid_rows; }
    int grid_cols() const { return cyclic_.grid_cols; }
    /// The place of a rank; -1, -1 outside the grid.
    GridPlace place_of(int rank) const;
    /// Of a product: the rows of a grid row and the columns of a grid column.
    IndexSet rows_of(int grid_row) const;
    IndexSet cols_of(int grid_col) const;
    bool has_replicas() const;

    /// What a rank stores.
    std::vector<Holding> holdings_of(int rank) const;
    /// Whether `holder` is the one of several owners of the same element that `reader` asks.
    bool serves(int holder, int reader) const;
    /// The blocks of a BlockGrid that a rank owns, in the order in which it names their addresses.
    std::vector<index_t> blocks_of(int rank) const;
    const BlockGrid& blocks() const { return blocks_; }
    /// A number that is the same for equal distributions.
    std::uint64_t digest() const;

  private:
    BlockCyclic cyclic_;
    BlockGrid blocks_;
    std::vector<int> place_;  ///< by rank: its place counted along rows, -1: none
    index_t row_ = 0, col_ = 0, rows_ = 0, cols_ = 0;
};

/// Adds a number to a digest.
std::uint64_t mixed(std::uint64_t digest, std::uint64_t value);

}  // namespace gemmill
