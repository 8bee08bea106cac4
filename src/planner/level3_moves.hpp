// SPDX-License-Identifier: Apache-2.0
// Small changes of a choice, which the search of level 3 tries one after the other.
#pragma once

#include <functional>
#include <vector>

#include "planner/level3_order.hpp"

namespace gemmill {

inline constexpr index_t least_edge = 256;  ///< of tiles that the search makes smaller

/// Sizes along the triangle and of what has none.
Cut sizes_of(const Problem& problem);
/// A size of tiles of about x, in whole blocks where it is large.
index_t tile_size(double x, index_t most);

/// Changes a choice; false where it cannot, or must not.
using Level3Move = std::function<bool(Level3Choice&)>;
/// Those that make sense from a choice, in the order in which they are tried.
std::vector<Level3Move> moves_from(const Problem& problem, const Level3Choice& choice);

}  // namespace gemmill
