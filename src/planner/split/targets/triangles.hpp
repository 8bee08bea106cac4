// SPDX-License-Identifier: Apache-2.0
// Blocks of a rank update's C that need few rows of A: all tiles between the rows of a few groups,
// so that a row of A serves as the first and as the second factor.
//
//   seven groups, block 0 has 0, 1 and 3, and the triangle of group 0:
//
//     0 | 0                   A square block of as many tiles needs 1.25 to 1.4 times the rows:
//     1 | 0 1                 its two sides are different rows of A.
//     2 | 6 1 2
//     3 | 0 0 2 3             The others are made by adding 1, 2, ... to the groups of block 0,
//     4 | 4 1 1 3 4           modulo their number. Any two groups meet in one block, because each
//     5 | 4 5 2 2 4 5         difference modulo seven occurs once between 0, 1 and 3.
//     6 | 6 5 6 3 3 5 6
//
// Beaumont, Eyraud-Dubois, Verite, Langou, "I/O-optimal algorithms for symmetric linear algebra
// kernels": no plan needs fewer than n n k / sqrt(2 M) elements of A with room for M.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "planner/split/targets/targets.hpp"

namespace gemmill {

/// Which block a tile of C is in.
struct Triangles {
    index_t groups = 0;  ///< of rows, one of triangle_groups(); 0: no such blocks
    index_t rows = 0;    ///< of tiles, in groups of about the same size
    index_t block_of(index_t row, index_t col) const;
    bool operator==(const Triangles&) const = default;
};

/// From few to many. There are as many blocks as groups.
std::span<const index_t> triangle_groups();

/// Rank updates whose two factors are the same rows.
bool has_triangles(Routine routine);

/// Tiles such that a block of C and the rows of two parts of k fit; nothing where they do not.
std::optional<Cut> triangle_cut(const Problem& problem, index_t groups, std::int64_t bytes,
                                index_t grain);

}  // namespace gemmill
