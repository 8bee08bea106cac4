// SPDX-License-Identifier: Apache-2.0
// Questions that every reader of a plan asks.
#pragma once

#include <algorithm>
#include <cstdint>

#include "gemmill/plan.hpp"
#include "plan/ops.hpp"

namespace gemmill {

inline const Tile& tile_of(const Plan& plan, const Ref& ref) {
    return plan.tiles[static_cast<std::size_t>(ref.tile)];
}
inline const Operand& operand_of(const Plan& plan, OperandId id) {
    return plan.operands[static_cast<std::size_t>(id)];
}
inline const Operand& operand_of(const Plan& plan, const Tile& tile) {
    return operand_of(plan, tile.operand);
}
/// Its columns are multiples of so much apart.
inline index_t pitch_of(const Operand& operand) {
    return operand.pitch == 0 ? operand.rows : operand.pitch;
}
inline const Operand& target_of(const Plan& plan) { return operand_of(plan, plan.goal.target); }
inline Tile whole_target(const Plan& plan) {
    return {plan.goal.target, 0, 0, target_of(plan).rows, target_of(plan).cols};
}
inline bool is_target(const Plan& plan, const Tile& tile) {
    return tile.operand == plan.goal.target;
}

/// Whether the goal reads this operand at all: the old target is not read when nothing of it is
/// kept and no term has it.
bool is_read(const Goal& goal, OperandId operand);

/// Bytes of an operand without the triangle that is not used.
std::int64_t needed_bytes(const Operand& operand);

/// Flops of the whole goal: multiply-adds times their cost.
double flops_of(std::span<const Operand> operands, const Goal& goal);
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
/// How many those are.
inline index_t overlap_size(const Tile& a, const Tile& b) {
    if (!overlap(a, b)) return 0;
    const index_t rows = std::min(a.row + a.rows, b.row + b.rows) - std::max(a.row, b.row);
    return rows * (std::min(a.col + a.cols, b.col + b.cols) - std::max(a.col, b.col));
}
/// The least block around two of one operand; one without rows is none.
inline Tile around_both(const Tile& a, const Tile& b) {
    if (a.rows == 0) return b;
    const index_t row = std::min(a.row, b.row), col = std::min(a.col, b.col);
    return {a.operand, row, col, std::max(a.row + a.rows, b.row + b.rows) - row,
            std::max(a.col + a.cols, b.col + b.cols) - col};
}
/// The part of a referenced tile that a step touches: a piece of a fetch moves some columns only.
inline Tile touched(const Plan& plan, const Step& step, const Ref& ref) {
    Tile tile = tile_of(plan, ref);
    if (step.pieces == 1) return tile;
    const Columns part = piece_columns(tile.cols, step.piece, step.pieces);
    tile.col += part.first;
    tile.cols = part.count;
    return tile;
}

/// The memory that a reference lies in.
inline MemoryId memory_of(const Plan& plan, const Ref& ref) {
    return ref.buffer != Ref::home ? plan.buffers[static_cast<std::size_t>(ref.buffer)].memory
                                   : operand_of(plan, tile_of(plan, ref)).home;
}

// --- triangles ----------------------------------------------------------------------------------

/// A square with its diagonal on the operand's.
constexpr bool at_diagonal(const Tile& t) { return t.row == t.col && t.rows == t.cols; }
/// Where a block lies: `inside` has only elements of the triangle (the diagonal is one of its
/// edges), `beyond` has none.
enum class Place : std::uint8_t { inside, across, beyond };
Place place_of(Triangle triangle, const Tile& tile);
/// Inside, and without a part of the diagonal.
bool off_diagonal(Triangle triangle, const Tile& tile);

/// The stored tile that a mirror step makes another one from; a square is its own.
constexpr Tile image_of(const Tile& t) { return {t.operand, t.col, t.row, t.cols, t.rows}; }

/// The triangular operand of a goal: which factor it is, with which op, and whether parts of k are
/// taken from the first to the last, so that part l goes into what lies at or behind it.
struct Triangular {
    OperandId operand = -1;  ///< -1: there is none
    bool left = true, forward = true;
    Op op = Op::NoTrans;
};
Triangular triangular_of(const Plan& plan);

/// How often steps of the plan round an element of C at most: once for each part of k, and where
/// sums are made apart as often again, to add them and the old C.
index_t roundings(const Plan& plan);

}  // namespace gemmill
