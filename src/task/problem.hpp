// SPDX-License-Identifier: Apache-2.0
// What a problem has: shapes, bytes, flops, and which operands it reads.
#pragma once

#include "base/routine.hpp"
#include "gemmill/plan.hpp"
#include "gemmill/problem.hpp"
#include "plan/access.hpp"

namespace gemmill {

/// The operands of a problem by their letters: the first three of its plan.
namespace operand {
inline constexpr OperandId A = 0, B = 1, C = 2;
}

constexpr bool goes_forward(const Problem& p) { return goes_forward(p.side, p.uplo, p.op_a); }

struct Shape {
    index_t rows = 0, cols = 0;
    bool operator==(const Shape&) const = default;
};

/// The whole of an operand as it is stored, before op.
Shape stored_shape(const Problem& problem, OperandId operand);

/// Whether the problem reads this operand at all: C is not read when beta is zero, A and B (and the
/// C of trmm and trsm) are not when alpha or k is zero.
bool is_read(const Problem& problem, OperandId operand);

/// Bytes of the whole operand, with the triangle that is not used.
std::int64_t operand_bytes(const Problem& problem, OperandId operand);
/// Without it.
std::int64_t needed_bytes(const Problem& problem, OperandId operand);

/// Flops of the problem: multiply-adds times their cost.
double flops_of(const Problem& problem);

/// The part of k that an A or B tile of a gemm covers.
Span k_span(const Problem& problem, const Tile& tile);
/// Rows of C that an A tile belongs to, columns of C that a B tile belongs to.
Span c_span(const Problem& problem, const Tile& tile);

}  // namespace gemmill
