// SPDX-License-Identifier: Apache-2.0
// Index sets of one dimension of a matrix: which global indices, and where they lie locally.
#pragma once

#include <vector>

#include "gemmill/types.hpp"

namespace gemmill {

/// Global indices [begin, begin + count), which lie at local indices from `offset` on.
struct IndexRun {
    index_t begin = 0, count = 0, offset = 0;
    bool operator==(const IndexRun&) const = default;
};

/// In ascending order of both begin and offset, without overlap.
using IndexSet = std::vector<IndexRun>;

/// Consecutive indices that two index sets share: `count` of them, at `from` in one and at `to` in
/// the other.
struct Match {
    index_t count = 0, from = 0, to = 0;
    bool operator==(const Match&) const = default;
};
using Matches = std::vector<Match>;

/// The number of indices.
GEMMILL_API index_t total(const IndexSet& set);
index_t total(const Matches& matches);
/// [0, count) at offset 0.
IndexSet whole(index_t count);
/// The indices in [first, last), without a new origin.
IndexSet between(const IndexSet& set, index_t first, index_t last);
/// The indices in [from, from + count), counted from there: those of a sub-matrix.
IndexSet within(const IndexSet& set, index_t from, index_t count);
/// The same indices one behind the other from offset 0 on.
IndexSet packed(const IndexSet& set);
/// The indices at positions [first, first + count) of the set, with their offsets.
IndexSet positions(const IndexSet& set, index_t first, index_t count);
/// The same of matches, which keep their places.
Matches positions(const Matches& matches, index_t first, index_t count);
/// How many indices of the set are below `index`: its position.
index_t position_of(const IndexSet& set, index_t index);
/// What two sets share, in ascending order.
Matches meet(const IndexSet& from, const IndexSet& to);
/// How many indices they share.
index_t overlap(const IndexSet& a, const IndexSet& b);
/// Whether the matches lie one behind the other in `from`, so that one address serves them all.
bool is_one_run(const Matches& matches);

}  // namespace gemmill
