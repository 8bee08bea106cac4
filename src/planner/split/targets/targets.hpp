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

#include <cstdint>
#include <span>
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

/// One compute step. Tiles are numbers in Targets::tiles.
struct TileTerm {
    std::int32_t first = -1, second = -1;  ///< `second` -1: there is none
    std::int32_t part = 0;  ///< number of its part of k, in the order in which parts are taken
    bool own = false;       ///< trmm and trsm: the step at the diagonal
};

/// One tile of C, and where the terms that go into it stand. Without terms it is only scaled.
struct Target {
    index_t row = 0, col = 0;  ///< its number along both sides of C
    std::size_t first_term = 0, term_count = 0;
};

/// Tiles of C and what goes into them.
struct Targets {
    std::vector<Tile> tiles;  ///< each once, those of the targets first, in their order
    std::vector<Target> all;
    std::vector<TileTerm> terms;  ///< of each target in the order of the sum
};

/// Adds a tile of C, whose terms come later.
inline void add_target(Targets& targets, const Tile& c, index_t row, index_t col) {
    targets.tiles.push_back(c);
    targets.all.push_back({row, col});
}
/// All terms since the targets before are those of this one.
inline void end_terms(Targets& targets, Target& target, std::size_t first) {
    target.first_term = first;
    target.term_count = targets.terms.size() - first;
}
inline std::span<const TileTerm> terms_of(const Targets& targets, const Target& target) {
    return {targets.terms.data() + target.first_term, target.term_count};
}

/// By rows within columns of tiles.
Targets rank_targets(const Problem& problem, const Cut& cut);
Targets symm_targets(const Problem& problem, const Cut& cut);
Targets triangular_targets(const Problem& problem, const Cut& cut);
/// Those of the problem's routine.
Targets targets_of(const Problem& problem, const Cut& cut);

}  // namespace gemmill
