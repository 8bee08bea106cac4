// SPDX-License-Identifier: Apache-2.0
// Questions that every reader of a plan asks.
#pragma once

#include <cstdint>

#include "gemmill/plan.hpp"

namespace gemmill {

struct Shape {
    index_t rows = 0, cols = 0;
    bool operator==(const Shape&) const = default;
};

/// The whole of an operand as it is stored, before op.
Shape stored_shape(const Problem& problem, Operand operand);

/// Whether the problem reads this operand at all: C is not read when beta is zero, A and B (and the
/// C of trmm and trsm) are not when alpha or k is zero.
bool is_read(const Problem& problem, Operand operand);

/// Bytes of the whole operand, with the triangle that is not used.
std::int64_t operand_bytes(const Problem& problem, Operand operand);
/// Without it.
std::int64_t needed_bytes(const Problem& problem, Operand operand);

/// Flops of the problem: multiply-adds times their cost.
double flops_of(const Problem& problem);
/// Flops of one step; 0 for transfers.
double flops_of(const Plan& plan, const Step& step);
/// Bytes that a fetch or write moves; 0 for kernels.
std::int64_t bytes_moved(const Plan& plan, const Step& step);

/// Whether a block lies within another one of the same operand, and whether they have elements in
/// common.
inline bool contains(const Tile& outer, const Tile& inner) {
    return outer.operand == inner.operand && outer.row <= inner.row && outer.col <= inner.col &&
           inner.row + inner.rows <= outer.row + outer.rows &&
           inner.col + inner.cols <= outer.col + outer.cols;
}
inline bool overlap(const Tile& a, const Tile& b) {
    return a.operand == b.operand && a.row < b.row + b.rows && b.row < a.row + a.rows &&
           a.col < b.col + b.cols && b.col < a.col + a.cols;
}
/// The part of a referenced tile that a step touches: a piece of a fetch moves some columns only.
Tile touched(const Plan& plan, const Step& step, const Ref& ref);

/// The memory that a reference lies in.
MemoryId memory_of(const Plan& plan, const Ref& ref);

/// The part [first, first + count) of k that an A or B tile of a gemm covers.
struct Span {
    index_t first = 0, count = 0;
    bool operator==(const Span&) const = default;
};
Span k_span(const Problem& problem, const Tile& tile);
/// Rows of C that an A tile belongs to, columns of C that a B tile belongs to.
Span c_span(const Problem& problem, const Tile& tile);

/// How often steps of the plan round an element of C at most: once for each part of k, and where
/// sums are made apart as often again, to add them and the old C.
index_t roundings(const Plan& plan);

}  // namespace gemmill
