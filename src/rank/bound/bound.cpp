// SPDX-License-Identifier: Apache-2.0
#include "rank/bound/bound.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace gemmill {
namespace {

/// The least sum of three parts, none above its matrix, whose product is the square of the number
/// of products: a rank that touches less cannot make so many (Loomis and Whitney).
double least_touched(std::array<double, 3> sizes, double products) {
    std::ranges::sort(sizes);
    double left = products * products, sum = 0;
    for (int i = 0; i < 3; ++i) {
        const double even = std::pow(left, 1.0 / (3 - i));
        const double part = std::min(sizes[static_cast<std::size_t>(i)], even);
        sum += part;
        left /= part;
    }
    return sum;
}

}  // namespace

NetBound net_bound(Type type, index_t rows, index_t cols, index_t depth, int ranks, double memory) {
    const auto m = static_cast<double>(rows), n = static_cast<double>(cols),
               k = static_cast<double>(depth), p = static_cast<double>(ranks);
    const auto size = static_cast<double>(bytes_of(type));
    NetBound bound;
    if (m == 0 || n == 0 || k == 0 || ranks == 1) return bound;
    const double elements = m * k + k * n + m * n;
    bound.cosma = size * 2 * m * n * k / std::sqrt(std::max(memory / size, elements / p));
    const double touched = least_touched({m * k, k * n, m * n}, m * n * k / p);
    bound.compulsory = size * std::max(0.0, p * touched - elements);
    return bound;
}

double paper_net_bytes(Type type, index_t rows, index_t cols, index_t depth, int grid_rows,
                       int grid_cols, index_t row_block, index_t col_block) {
    const auto m = static_cast<double>(rows), n = static_cast<double>(cols),
               k = static_cast<double>(depth);
    const double p = grid_rows, q = grid_cols;
    const auto b = static_cast<double>(row_block), c = static_cast<double>(col_block);
    const double of_block = (b * (1 - 1 / q) + c * (1 - 1 / p)) * k;
    return static_cast<double>(bytes_of(type)) * of_block * (m / (b * p)) * (n / (c * q)) * p * q;
}

}  // namespace gemmill
