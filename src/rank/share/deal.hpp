// SPDX-License-Identifier: Apache-2.0
// Which indices the bricks of a tree have, and which rank makes which brick.
#pragma once

#include "rank/owners/overlaps.hpp"

namespace gemmill {

struct Dealt {
    std::vector<int> rank_of;  ///< by brick
    std::array<std::vector<Amounts>, BrickTree::levels> amounts;
    /// Elements of each brick that the rank which makes it stores, and of all.
    std::vector<index_t> stored_of;
    index_t stored = 0;
};

/// Every family gets all indices of its dimension, in parts that make all bricks equally large. A
/// rank comes into the group and to the part of k that have the indices it stores, in the order of
/// its places; then the nodes of each family choose among the indices anew, from the bricks up to
/// the groups: those kinds first of which most elements need not travel. Along k ranks are ordered
/// by their places in A, or in B, whichever spares more.
Dealt deal_bricks(const BrickTree& tree, const ProductOwners& owners);

/// The same with ranks that change places, two by two, where that spares more, after which indices
/// are chosen anew. Where places of the layout are not alike it spares some percent; it takes as
/// long as there are pairs of ranks.
Dealt deal_better(const BrickTree& tree, const ProductOwners& owners, Dealt dealt);

}  // namespace gemmill
