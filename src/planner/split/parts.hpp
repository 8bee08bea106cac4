// SPDX-License-Identifier: Apache-2.0
// How rows, columns and k are cut into parts that differ in size, and which tiles such parts are.
#pragma once

#include <cstddef>
#include <vector>

#include "planner/draft.hpp"
#include "planner/split/decompose.hpp"

namespace gemmill {

constexpr index_t least_part = 128;  ///< rows or columns: thinner kernels are slow

/// Kernels work in blocks of this many columns, and what is left of a block costs a whole one. It
/// counts where rates by shape are known; without them only the grain does.
index_t block_of(const Machine& machine, index_t width);

/// To whole blocks, but for the last one.
index_t rounded(index_t x, index_t most, index_t block);

/// Equal parts, the last one halved again and again.
std::vector<Part> taper(const Machine& machine, Part whole, index_t count, index_t halvings);

/// Parts that grow by a factor from one to the next.
std::vector<Part> growing(Part whole, index_t count, double growth);

/// The tile of an operand that op turns into these rows and columns.
Tile stored_tile(OperandId operand, Op op, const Part& rows, const Part& cols);
/// The same with the operand's op in a gemm.
Tile stored_tile(const Problem& gemm, OperandId operand, const Part& rows, const Part& cols);

/// Tiles of A or B in a rank update: rows of it, and what they are multiplied with for some columns
/// of C.
Tile rank_first(const Problem& update, OperandId operand, const Part& rows, const Part& k);
Tile rank_second(const Problem& update, OperandId operand, const Part& k, const Part& cols);

Part span_of(const std::vector<Part>& parts);

/// As many of the parts as there are, up to `count`, in one.
Part first_of(const std::vector<Part>& parts, std::size_t count);

}  // namespace gemmill
