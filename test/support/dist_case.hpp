// SPDX-License-Identifier: Apache-2.0
// Random distributions, and matrices that are scattered over ranks by plain loops.
#pragma once

#include <algorithm>
#include <complex>
#include <cstddef>
#include <limits>
#include <vector>

#include "matrix/distribution.hpp"
#include "rank/message/exchange.hpp"
#include "support/random.hpp"

namespace gemmill::test {

/// Something random for so many ranks: block-cyclic on any grid that fits, or a grid of blocks.
struct AnyLayout {
    bool cyclic = true;
    BlockCyclic block_cyclic;
    BlockGrid block_grid;
    Distribution distribution(int ranks) const {
        return cyclic ? Distribution(block_cyclic, ranks) : Distribution(block_grid, ranks);
    }
};

inline std::vector<index_t> random_cuts(Random& random, index_t size) {
    std::vector<index_t> cuts{0};
    while (cuts.back() < size)
        cuts.push_back(
            std::min(size, cuts.back() + random.between(1, std::max<index_t>(1, size / 2))));
    if (cuts.size() == 1) cuts.push_back(size);
    return cuts;
}

inline BlockCyclic random_block_cyclic(Random& random, index_t rows, index_t cols, int grid_rows,
                                       int grid_cols, bool replicas) {
    constexpr index_t blocks[] = {1, 2, 3, 5, 16, 64};
    BlockCyclic x;
    x.rows = rows, x.cols = cols;
    x.row_block = random.pick(blocks), x.col_block = random.pick(blocks);
    x.grid_rows = grid_rows, x.grid_cols = grid_cols;
    x.order = random.chance(50) ? RankOrder::RowMajor : RankOrder::ColMajor;
    x.row_source = static_cast<int>(random.below(grid_rows));
    x.col_source = static_cast<int>(random.below(grid_cols));
    if (replicas && random.chance(10)) x.row_source = BlockCyclic::replicated;
    if (replicas && random.chance(10)) x.col_source = BlockCyclic::replicated;
    if (random.chance(20)) x.first_row_block = random.between(1, x.row_block);
    if (random.chance(20)) x.first_col_block = random.between(1, x.col_block);
    return x;
}

inline AnyLayout random_layout(Random& random, index_t rows, index_t cols, int ranks,
                               bool replicas = true) {
    AnyLayout layout;
    layout.cyclic = random.chance(75);
    const auto grid_rows = static_cast<int>(random.between(1, ranks));
    const auto grid_cols = static_cast<int>(random.between(1, ranks / grid_rows));
    layout.block_cyclic = random_block_cyclic(random, rows, cols, grid_rows, grid_cols, replicas);
    layout.block_grid.row_cuts = random_cuts(random, rows);
    layout.block_grid.col_cuts = random_cuts(random, cols);
    layout.block_grid.owners.resize((layout.block_grid.row_cuts.size() - 1) *
                                    (layout.block_grid.col_cuts.size() - 1));
    for (int& owner : layout.block_grid.owners) owner = static_cast<int>(random.below(ranks));
    return layout;
}

/// The part of a matrix that one rank stores, with gaps that must stay as they are.
template <class T>
class LocalMatrix {
  public:
    LocalMatrix(const Distribution& whole, int rank, index_t gap) {
        for (const Holding& holding : whole.holdings_of(rank)) {
            const index_t ld = std::max<index_t>(1, total(holding.rows)) + gap;
            holdings_.push_back(holding);
            lds_.push_back(ld);
            data_.emplace_back(static_cast<std::size_t>(ld * total(holding.cols) + 1), guard());
        }
    }
    static T guard() { return T(std::numeric_limits<double>::quiet_NaN()); }

    /// Calls f(row, column, element) for each element of this rank.
    template <class F>
    void each(F&& f) {
        for (std::size_t h = 0; h < holdings_.size(); ++h)
            for (const IndexRun& cols : holdings_[h].cols)
                for (index_t j = 0; j < cols.count; ++j)
                    for (const IndexRun& rows : holdings_[h].rows)
                        for (index_t i = 0; i < rows.count; ++i)
                            f(rows.begin + i, cols.begin + j,
                              data_[h][static_cast<std::size_t>(rows.offset + i +
                                                                (cols.offset + j) * lds_[h])]);
    }
    /// How many elements are guards still.
    std::size_t guards() const {
        std::size_t count = 0;
        for (const auto& data : data_)
            for (const T& x : data) count += std::real(x) != std::real(x);
        return count;
    }
    /// As a sub-matrix of the same whole: addresses by holding of `part`, which leaves out blocks.
    RankMatrix matrix(const Distribution& part, int rank) {
        RankMatrix result{part, {}};
        for (const Holding& holding : part.holdings_of(rank))
            for (std::size_t h = 0; h < holdings_.size(); ++h)
                if (part.is_product() || holdings_[h].block == holding.block)
                    result.at.push_back({reinterpret_cast<std::byte*>(data_[h].data()), lds_[h]});
        return result;
    }
    /// All elements that it has, also guards, by holding.
    std::vector<std::vector<T>>& arrays() { return data_; }
    /// One address a holding.
    void addresses(std::vector<T*>& data, std::vector<index_t>& ld) {
        for (auto& x : data_) data.push_back(x.data());
        ld = lds_;
    }

  private:
    std::vector<Holding> holdings_;
    std::vector<index_t> lds_;
    std::vector<std::vector<T>> data_;
};

}  // namespace gemmill::test
