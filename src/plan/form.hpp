// SPDX-License-Identifier: Apache-2.0
// What a compute step does: it follows from the routine and from where the step's tiles lie.
//
//   a product:  out = keep out + weight op_a(in[0]) op_b(in[1])
//   own:        the problem's own routine, on tiles at the diagonal:
//     gemmt, syrk, herk, syr2k, her2k   out is a square at the diagonal, of which one triangle is
//                                       touched; in[0] and, where the routine has a B, in[1]
//     symm, hemm                        one input is a square at A's diagonal
//     trmm, trsm                        in[0] is a square at A's diagonal, out is overwritten;
//                                       or, of trmm, as a product with such a square and a C that
//                                       is not out
//
// A half-stored A has tiles on one side of its diagonal; symm and hemm take them as they are and,
// for the other side, transposed. In a buffer mirror steps can fill up the other side: products
// then take blocks of A as if it were stored whole. Without inputs: out = keep out.
#pragma once

#include "plan/access.hpp"

namespace gemmill {

/// The factor of a product: the caller's alpha, its conjugate, or minus one.
enum class Weight : std::uint8_t { alpha, conj_alpha, minus_one };

struct Form {
    bool own = false;
    Op op_a = Op::NoTrans, op_b = Op::NoTrans;  ///< of a product
    Weight weight = Weight::alpha;
};
/// Of a compute step.
Form form_of(const Plan& plan, const Step& step);

/// Part of k that a compute step covers; nothing without inputs.
Span k_span(const Plan& plan, const Step& step);
/// Rows and k of op(tile) as the first factor, k and columns as the second.
struct Factors {
    Span outer, inner;
};
Factors first_factor(Op op, const Tile& tile);
Factors second_factor(Op op, const Tile& tile);

// --- triangles ----------------------------------------------------------------------------------

/// C is n x n and only one triangle of it is computed.
constexpr bool writes_triangle(Routine r) {
    return r == Routine::gemmt || r == Routine::syrk || r == Routine::herk || r == Routine::syr2k ||
           r == Routine::her2k;
}
/// A is k x k and only one triangle of it is stored.
constexpr bool reads_triangle(Routine r) {
    return r == Routine::symm || r == Routine::hemm || r == Routine::trmm || r == Routine::trsm;
}
/// The other triangle of A follows from it.
constexpr bool mirrors(Routine r) { return r == Routine::symm || r == Routine::hemm; }
/// C is also an operand.
constexpr bool is_in_place(Routine r) { return r == Routine::trmm || r == Routine::trsm; }
/// Two products.
constexpr bool is_rank_2(Routine r) { return r == Routine::syr2k || r == Routine::her2k; }
constexpr bool is_hermitian(Routine r) {
    return r == Routine::hemm || r == Routine::herk || r == Routine::her2k;
}
constexpr bool has_b(Routine r) {
    return r != Routine::syrk && r != Routine::herk && !is_in_place(r);
}
/// Whether BLAS has op_a for the routine: a rank update transposes as its second factor does.
constexpr bool allows(Routine r, Type type, Op op) {
    if (!is_complex(type) || op == Op::NoTrans) return true;
    if (r == Routine::syrk || r == Routine::syr2k) return op == Op::Trans;
    if (r == Routine::herk || r == Routine::her2k) return op == Op::ConjTrans;
    return true;
}
/// op for the second of two factors that are the same matrix.
constexpr Op flipped(Op op, Routine r) {
    if (op != Op::NoTrans) return Op::NoTrans;
    return is_hermitian(r) ? Op::ConjTrans : Op::Trans;
}

/// A square with its diagonal on the operand's.
constexpr bool at_diagonal(const Tile& t) { return t.row == t.col && t.rows == t.cols; }
/// Where a block lies: `inside` has only elements of the triangle (the diagonal is one of its
/// edges), `beyond` has none.
enum class Place : std::uint8_t { inside, across, beyond };
Place place_of(Uplo uplo, const Tile& tile);
/// Inside, and without a part of the diagonal.
bool off_diagonal(Uplo uplo, const Tile& tile);

/// Whether a step moves one triangle of its tile only: squares at the diagonal of a C that has one
/// are written so.
bool moves_triangle(const Plan& plan, const Step& step);

/// The stored tile that a mirror step makes another one from; a square is its own.
constexpr Tile image_of(const Tile& t) { return {t.operand, t.col, t.row, t.cols, t.rows}; }

/// Whether trmm and trsm take the parts of k from the first to the last: part l goes into what
/// lies at or behind it.
constexpr bool goes_forward(Side side, Uplo uplo, Op op_a) {
    const bool lower = (uplo == Uplo::Lower) == (op_a == Op::NoTrans);
    return lower == (side == Side::Left);
}
constexpr bool goes_forward(const Problem& p) { return goes_forward(p.side, p.uplo, p.op_a); }

}  // namespace gemmill
