// SPDX-License-Identifier: Apache-2.0
// Which indices the bricks of a tree have, and which rank makes which brick.
#pragma once

#include "rank/share/brick_tree.hpp"
#include "rank/share/owners.hpp"

namespace gemmill {

/// The owners of m (A and C), n (B and C) and k (A and B).
using ProductOwners = std::array<Owners, 3>;

/// How many indices of each kind a node of the tree has.
using Amounts = std::vector<index_t>;

struct Dealt {
    std::vector<int> rank_of;  ///< by brick
    std::array<std::vector<Amounts>, BrickTree::levels> amounts;
    index_t stored = 0;  ///< elements of bricks that the ranks that make them store
};

/// Every family gets all indices of its dimension, in parts that make all bricks equally large. A
/// rank comes into the group and to the part of k that have the indices it stores, in the order of
/// its places; then the nodes of each family choose among the indices anew, from the bricks up to
/// the groups: those kinds first of which most elements need not travel. Along k ranks are ordered
/// by their places in A, or in B, whichever spares more.
Dealt deal_bricks(const BrickTree& tree, const ProductOwners& owners);

}  // namespace gemmill
