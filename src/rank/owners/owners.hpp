// SPDX-License-Identifier: Apache-2.0
// Indices of m, n or k by the places of the two matrices that have this dimension.
#pragma once

#include <array>
#include <vector>

#include "matrix/distribution.hpp"

namespace gemmill {

/// The rows, or the columns, of a matrix.
struct MatrixSide {
    const Distribution* matrix = nullptr;
    bool rows = true;
};

/// The number of places along a side; one where all places have all of it.
int places_along(const MatrixSide& side);

/// Indices that belong to one place of either matrix.
struct OwnedKind {
    IndexSet set;
    index_t count = 0;
    std::array<int, 2> places{};
};

/// All indices of a dimension, each in one kind.
struct Owners {
    index_t size = 0;
    std::vector<OwnedKind> kinds;
    /// By rank: its place in either matrix, -1 where it has none.
    std::vector<std::array<int, 2>> of_rank;
    /// By matrix and place: the numbers of the kinds that are there.
    std::array<std::vector<std::vector<int>>, 2> at_place;
    /// So many indices are at a place of a matrix; none at -1.
    index_t stored_at(std::size_t matrix, int place) const;
};

Owners owners_of(const std::array<MatrixSide, 2>& sides, int ranks);
/// One kind, which no rank stores.
Owners nobodys(index_t size, int ranks);

}  // namespace gemmill
