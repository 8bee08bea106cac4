// SPDX-License-Identifier: Apache-2.0
// Sizes of what has tiles along a triangle: the routines but gemm.
#pragma once

#include "planner/choice.hpp"
#include "task/problem.hpp"

namespace gemmill {

inline constexpr index_t least_edge = 256;  ///< of tiles that the search makes smaller

/// Sizes of a routine but gemm: along the triangle, and of what has none.
Cut sizes_of(const Problem& problem);
/// A size of tiles of about x, in whole blocks where it is large.
index_t tile_size(double x, index_t most);
/// The size of one of so many parts, where that is large enough.
index_t size_of_part(index_t whole, double parts);

}  // namespace gemmill
