// SPDX-License-Identifier: Apache-2.0
// Prices of scarce things, by the simplex method: columns are priced in when they are worth it.
#pragma once

#include <cstddef>
#include <vector>

namespace gemmill {

/// A linear program: the largest sum of gains of columns, each in an amount that is not negative,
/// that together use no more of each row than there is. Nobody writes down all columns: those that
/// gain more than they cost at the prices so far are entered one by one.
class PriceSearch {
  public:
    struct Column {
        double gain = 0;
        std::vector<double> uses;  ///< of each row
    };

    /// How much there is of each row, which is not negative.
    explicit PriceSearch(const std::vector<double>& there_is);

    /// What a unit of each row is worth to the columns in use: with all columns the least prices at
    /// which none gains more than it costs. Before, they may be negative.
    const std::vector<double>& prices() const { return prices_; }
    /// What the columns in use gain.
    double gain() const { return gain_; }
    /// Takes a column into use if it gains more than it costs. Whether it did.
    bool enter(const Column& column);
    /// Leaves some of the row unused that has the most negative price. Whether there is one.
    bool leave_unused();

  private:
    bool pivot(const std::vector<double>& column, double worth);

    std::size_t rows_;
    std::vector<double> inverse_;  // of the columns in use, row by row
    std::vector<double> amounts_, prices_;
    double gain_ = 0;
};

}  // namespace gemmill
