// SPDX-License-Identifier: Apache-2.0
// The other routines of level 3 as lists of products of tiles: for each tile of C what goes into
// it.
//
//   rank updates, lower:      symm, left:               trmm and trsm, left, lower:
//     C                         A          B, C           A          C
//     +--+                      +--+       +--+--+        +--+       +--+--+   block l goes into
//     |\ |                      |\ |       |  |  |        |\ |       |  |  |   all that lie behind
//     +--+--+                   +--+--+    +--+--+        +--+--+    +--+--+   it, and a solved one
//     |  |\ |                   |  |\ |    |  |  |        |  |\ |    |  |  |   into itself first
//     +--+--+                   +--+--+    +--+--+        +--+--+    +--+--+
//
// Squares at the diagonal are for the routine itself, all else is gemm (plan/form.hpp).
#pragma once

#include <vector>

#include "matrix/tiling.hpp"
#include "planner/choice.hpp"
#include "planner/draft.hpp"
#include "planner/split/parts.hpp"

namespace gemmill {

/// Parts of about the same size, at most about `size`, in whole blocks.
std::vector<Part> cut_equally(const Part& whole, index_t size);
/// Parts of `size`; with a taper of 2 about a quarter and a half of it at the start, and then equal
/// ones of at most that size.
std::vector<Part> cut_from_small(index_t whole, index_t size, int taper);
/// The same parts from the other end: still in the order in which they are taken.
std::vector<Part> from_the_end(std::vector<Part> parts, index_t whole);
/// What is left, parts of `size`, and then smaller ones.
std::vector<Part> cut_lines(index_t whole, index_t size, int tail);

/// The first parts that lie, at least with their middle, in this share of all.
index_t parts_within(const std::vector<Part>& parts, double share);

/// One compute step.
struct TileTerm {
    Tile first, second;  ///< `second` without rows: there is none
    index_t part = 0;    ///< number of its part of k, in the order in which parts are taken
    bool own = false;    ///< trmm and trsm: the step at the diagonal
};

/// One tile of C and what goes into it, in the order of the sum. Without terms it is only scaled.
struct Target {
    Tile c;
    index_t row = 0, col = 0;  ///< its number along both sides of C
    std::vector<TileTerm> terms;
};

/// By rows within columns of tiles.
std::vector<Target> rank_targets(const Problem& problem, const Cut& cut);
std::vector<Target> symm_targets(const Problem& problem, const Cut& cut);
std::vector<Target> triangular_targets(const Problem& problem, const Cut& cut);
/// Those of the problem's routine.
std::vector<Target> targets_of(const Problem& problem, const Cut& cut);

}  // namespace gemmill
