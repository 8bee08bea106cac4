// SPDX-License-Identifier: Apache-2.0
// At which places of the layout the indices of bricks are, and so what ranks store of bricks.
#pragma once

#include <array>
#include <vector>

#include "rank/owners/brick_tree.hpp"

namespace gemmill {

/// How many indices of each kind a node of the tree has.
using Amounts = std::vector<index_t>;

class Overlaps {
  public:
    Overlaps(const BrickTree& tree, const ProductOwners& owners);

    /// Counts what a node has.
    void count(std::size_t level, int node, const Amounts& amounts);

    /// By side: the indices of a brick at each place, and none behind them.
    using Brick = std::array<const index_t*, sides>;
    Brick of(int brick) const;
    /// The indices of a brick that a rank has on a side.
    index_t had(const Brick& brick, int rank, std::size_t side) const {
        return brick[side][place_of_[static_cast<std::size_t>(rank)][side]];
    }
    /// Elements of a brick that a rank stores.
    index_t stored(const Brick& brick, int rank) const {
        const auto of_face = [&](const std::array<std::size_t, 2>& face) {
            return had(brick, rank, face[0]) * had(brick, rank, face[1]);
        };
        return of_face(faces[0]) + of_face(faces[1]) + of_face(faces[2]);
    }
    /// By brick and rank: all that the ranks store of all bricks.
    std::vector<index_t> stored(const std::vector<int>& ranks) const;

  private:
    const BrickTree& tree_;
    const ProductOwners& owners_;
    std::array<std::vector<int>, BrickTree::levels> node_of_;  // by brick
    std::array<std::size_t, sides> level_of_{};
    std::array<std::size_t, sides> places_{};               // their number
    std::vector<std::array<std::size_t, sides>> place_of_;  // by rank; behind all: none
    std::array<std::vector<index_t>, sides> had_;           // by node and place
};

}  // namespace gemmill
