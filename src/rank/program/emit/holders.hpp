// SPDX-License-Identifier: Apache-2.0
// Who has what of a factor, by its places in a grid: senders are found along each dimension of the
// grid by itself, so that a program for thousands of ranks does not look at each of them.
#pragma once

#include "rank/program/program.hpp"

namespace gemmill {

/// What a place along one dimension of a grid has in common with some indices; never empty.
struct Common {
    int place = 0;
    Matches matches;
};

/// A factor as the ranks store it. `across` is its dimension that C has too, `depth` that of k.
struct Holders {
    Holders(const DistFactor& factor, int operand, int rank, int ranks);

    Box box(const Matches& x, const Matches& k) const {
        return across_is_rows ? Box{x, k} : Box{k, x};
    }
    int rank_at(int at_across, int at_depth) const;

    const Distribution* matrix = nullptr;
    bool across_is_rows = true;
    std::vector<IndexSet> across, depth;  ///< by place
    int my_across = -1, my_depth = -1;    ///< -1: this rank stores nothing

  private:
    std::vector<int> ranks_;  ///< by row and column of the grid
};

/// What each place has of some indices, which lie one behind the other where they are needed.
std::vector<Common> common_with(const std::vector<IndexSet>& places, const IndexSet& needed);
/// The one of a place, or nothing.
const Matches* of_place(const std::vector<Common>& all, int place);

}  // namespace gemmill
