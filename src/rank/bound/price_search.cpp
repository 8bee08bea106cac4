// SPDX-License-Identifier: Apache-2.0
#include "rank/bound/price_search.hpp"

#include <algorithm>

namespace gemmill {
namespace {

/// What is as good as zero where gains and amounts are about 1.
constexpr double tiny = 1e-12;

}  // namespace

PriceSearch::PriceSearch(const std::vector<double>& there_is)
    : rows_(there_is.size()), inverse_(rows_ * rows_), amounts_(there_is), prices_(rows_) {
    for (std::size_t row = 0; row < rows_; ++row) inverse_[row * rows_ + row] = 1;
}

bool PriceSearch::enter(const Column& column) {
    std::vector<double> in_basis(rows_);
    double worth = column.gain;
    for (std::size_t row = 0; row < rows_; ++row) {
        const double uses = column.uses[row];
        if (uses == 0) continue;
        worth -= prices_[row] * uses;
        for (std::size_t i = 0; i < rows_; ++i) in_basis[i] += inverse_[i * rows_ + row] * uses;
    }
    return worth > tiny && pivot(in_basis, worth);
}

bool PriceSearch::leave_unused() {
    const auto least = std::ranges::min_element(prices_);
    if (least == prices_.end() || *least >= -tiny) return false;
    const auto row = static_cast<std::size_t>(least - prices_.begin());
    std::vector<double> in_basis(rows_);
    for (std::size_t i = 0; i < rows_; ++i) in_basis[i] = inverse_[i * rows_ + row];
    return pivot(in_basis, -*least);
}

/// The column takes the place of the one that it uses up first.
bool PriceSearch::pivot(const std::vector<double>& column, double worth) {
    std::size_t out = rows_;
    for (std::size_t i = 0; i < rows_; ++i)
        if (column[i] > tiny &&
            (out == rows_ || amounts_[i] * column[out] < amounts_[out] * column[i]))
            out = i;
    if (out == rows_) return false;
    double* leaving = &inverse_[out * rows_];
    for (std::size_t row = 0; row < rows_; ++row) leaving[row] /= column[out];
    amounts_[out] /= column[out];
    for (std::size_t i = 0; i < rows_; ++i) {
        if (i == out || column[i] == 0) continue;
        double* line = &inverse_[i * rows_];
        for (std::size_t row = 0; row < rows_; ++row) line[row] -= column[i] * leaving[row];
        amounts_[i] = std::max(0.0, amounts_[i] - column[i] * amounts_[out]);
    }
    for (std::size_t row = 0; row < rows_; ++row) prices_[row] += worth * leaving[row];
    gain_ += worth * amounts_[out];
    return true;
}

}  // namespace gemmill
