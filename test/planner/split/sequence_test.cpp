// SPDX-License-Identifier: Apache-2.0
#include "planner/split/sequence.hpp"

#include <gtest/gtest.h>

#include <set>

namespace gemmill::test {
namespace {

Share square(std::int32_t rows, std::int32_t cols, std::int32_t depth) {
    Share share;
    for (std::int32_t i = 0; i < rows; ++i) share.rows.push_back(i + 3);
    for (std::int32_t j = 0; j < cols; ++j) share.cols.push_back(j + 7);
    share.depth = depth;
    return share;
}

std::set<std::tuple<int, int, int>> as_set(const std::vector<TileProduct>& order) {
    std::set<std::tuple<int, int, int>> set;
    for (const TileProduct& p : order) set.emplace(p.i, p.j, p.k);
    return set;
}

TEST(Orders, natural_finishes_one_tile_after_the_other) {
    const auto order = natural_order(square(1, 2, 2));
    const std::vector<TileProduct> expected{{3, 7, 0}, {3, 7, 1}, {3, 8, 0}, {3, 8, 1}};
    EXPECT_EQ(order, expected);
}

TEST(Orders, panels_then_strips) {
    const auto order = panel_order(square(2, 1, 4), 2, 1, 2);
    const std::vector<TileProduct> expected{{3, 7, 0}, {4, 7, 0}, {3, 7, 1}, {4, 7, 1},
                                            {3, 7, 2}, {3, 7, 3}, {4, 7, 2}, {4, 7, 3}};
    EXPECT_EQ(order, expected);
}

TEST(Orders, every_product_once_in_parts_too) {
    Share share = square(5, 4, 3);
    EXPECT_EQ(as_set(panel_order(share, 2, 3, 3)).size(), 60U);
    EXPECT_EQ(panel_order(share, 2, 3, 3).size(), 60U);
    share.owned.assign(20, false);
    share.owned[3] = share.owned[7] = true;
    const auto order = panel_order(share, 2, 3, 1);
    EXPECT_EQ(order.size(), 6U);
    EXPECT_EQ(as_set(order).size(), 6U);
}

/// Plays a device that fetches what a product needs when it is taken.
std::vector<TileProduct> play(Frontier& frontier) {
    std::vector<TileProduct> order;
    double time = 0;
    while (const auto product = frontier.next()) {
        order.push_back(*product);
        frontier.arrived(true, product->i, product->k, ++time);
        frontier.arrived(false, product->j, product->k, ++time);
    }
    return order;
}

TEST(Frontier, takes_every_product_once) {
    Frontier frontier(square(4, 3, 5));
    const auto order = play(frontier);
    EXPECT_EQ(order.size(), 60U);
    EXPECT_EQ(as_set(order).size(), 60U);
    EXPECT_FALSE(frontier.next());
}

/// With n fetches about (n / 2)^2 products can start: the front grows as a square.
TEST(Frontier, each_fetch_lets_most_products_start) {
    Frontier frontier(square(4, 4, 1));
    const auto order = play(frontier);
    std::set<int> rows, cols;
    for (std::size_t i = 0; i < 4; ++i) {
        rows.insert(order[i].i);
        cols.insert(order[i].j);
    }
    EXPECT_EQ(rows.size(), 2U);
    EXPECT_EQ(cols.size(), 2U);
}

TEST(Frontier, prefers_what_arrives_first) {
    Frontier frontier(square(1, 2, 1));
    frontier.arrived(true, 3, 0, 1);
    frontier.arrived(false, 7, 0, 9);
    frontier.arrived(false, 8, 0, 2);
    EXPECT_EQ(frontier.next(), (TileProduct{3, 8, 0}));
    EXPECT_EQ(frontier.next(), (TileProduct{3, 7, 0}));
}

TEST(Frontier, ignores_tiles_of_others) {
    Frontier frontier(square(1, 1, 1));
    frontier.arrived(true, 99, 0, 1);
    frontier.arrived(false, 0, 0, 1);
    EXPECT_EQ(frontier.next(), (TileProduct{3, 7, 0}));
    EXPECT_FALSE(frontier.next());
}

}  // namespace
}  // namespace gemmill::test
