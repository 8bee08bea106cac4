// SPDX-License-Identifier: Apache-2.0
// Every buffer, and the user's target, cut along all edges that steps touch it with: a step touches
// a cell as a whole or not at all.
#pragma once

#include <algorithm>
#include <vector>

#include "gemmill/plan.hpp"

namespace gemmill {

class Cells {
  public:
    explicit Cells(const Plan& plan);

    /// Cells are numbered from 0, over all buffers and the target.
    std::size_t count() const noexcept { return count_; }

    /// Those that a block has elements in.
    std::size_t count(BufferId buffer, const Tile& block) const {
        if (buffer == Ref::home && block.operand != target_) return 0;
        const Grid& grid = grid_of(buffer);
        const Range rows = cut(grid.rows, block.row, block.rows);
        const Range cols = cut(grid.cols, block.col, block.cols);
        return (rows.end - rows.begin) * (cols.end - cols.begin);
    }

    /// Calls visit(cell, its block) for every cell that a block of a buffer, or of the user's own
    /// operand, has elements in. The user's other operands have no cells: they never change.
    template <class Visit>
    void each(BufferId buffer, const Tile& block, Visit visit) const {
        if (buffer == Ref::home && block.operand != target_) return;
        const Grid& grid = grid_of(buffer);
        const Range rows = cut(grid.rows, block.row, block.rows);
        const Range cols = cut(grid.cols, block.col, block.cols);
        const std::size_t height = grid.rows.end - grid.rows.begin - 1;
        for (std::size_t c = cols.begin; c < cols.end; ++c)
            for (std::size_t r = rows.begin; r < rows.end; ++r)
                visit(grid.first + (c - grid.cols.begin) * height + (r - grid.rows.begin),
                      Tile{block.operand, edges_[r], edges_[c], edges_[r + 1] - edges_[r],
                           edges_[c + 1] - edges_[c]});
    }

  private:
    struct Range {
        std::size_t begin = 0, end = 0;
    };
    /// Rows and columns are ranges of edges_, from the first to the last edge of the whole.
    struct Grid {
        std::size_t first = 0;  // cell; they follow column by column
        Range rows, cols;
    };

    const Grid& grid_of(BufferId buffer) const {
        return buffer == Ref::home ? grids_.back() : grids_[static_cast<std::size_t>(buffer)];
    }

    /// The edges that begin what lies in [first, first + count).
    Range cut(const Range& all, index_t first, index_t count) const {
        if (count == 0) return {};
        const auto begin = edges_.begin();
        const auto at = [&](std::size_t i) { return begin + static_cast<std::ptrdiff_t>(i); };
        const auto low = std::upper_bound(at(all.begin), at(all.end), first) - 1;
        const auto high = std::lower_bound(low, at(all.end), first + count);
        return {static_cast<std::size_t>(low - begin), static_cast<std::size_t>(high - begin)};
    }

    std::vector<index_t> edges_;
    OperandId target_;
    std::vector<Grid> grids_;  // by BufferId; the last one is of the target
    std::size_t count_ = 0;
};

}  // namespace gemmill
