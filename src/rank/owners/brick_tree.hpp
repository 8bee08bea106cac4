// SPDX-License-Identifier: Apache-2.0
// How bricks follow from one another: all of the product, groups, parts of k of a group, bricks.
#pragma once

#include <array>
#include <vector>

#include "rank/owners/product_owners.hpp"

namespace gemmill {

/// Rows are cut into `groups`, k of each group into `depths` parts, and the columns of each of
/// these into bricks, so that there are as many as `ranks`, equally large; or columns first and
/// rows last.
struct Bricks {
    int groups = 1, depths = 1, ranks = 1;
    bool by_rows = true;
};
/// rows x cols x depths equal ones.
inline Bricks even_bricks(int rows, int cols, int depths, bool by_rows = true) {
    return {by_rows ? rows : cols, depths, rows * cols * depths, by_rows};
}

/// The nodes of a level are counted from the left, and the bricks of each follow one another.
class BrickTree {
  public:
    static constexpr std::size_t levels = 3;

    explicit BrickTree(const Bricks& bricks);

    int bricks() const { return shape_.ranks; }
    int nodes(std::size_t level) const { return static_cast<int>(first_[level].size()) - 1; }
    /// The first brick of a node; behind all nodes the number of bricks.
    int first(std::size_t level, int node) const {
        return first_[level][static_cast<std::size_t>(node)];
    }
    /// The node of a level that has a brick.
    int node_of(std::size_t level, int brick) const;
    /// The first node of each family, whose nodes share all indices of the level's dimension, and
    /// behind them the number of nodes.
    std::vector<int> families(std::size_t level) const;
    /// How many of `size` indices each node of a level gets, so that all bricks are equally large.
    std::vector<index_t> parts(std::size_t level, index_t size) const;
    /// What is cut at a level.
    Dimension dimension(std::size_t level) const;
    std::size_t level_of(Dimension dimension) const;

  private:
    Bricks shape_;
    std::array<std::vector<int>, levels> first_;
};

}  // namespace gemmill
