// SPDX-License-Identifier: Apache-2.0
// The instruction set as a table, and what follows from an instruction for every reader of a plan:
// print, parse, validate, the model and the backends ask here, and never for whom the plan works.
#pragma once

#include <array>
#include <cstddef>

#include "gemmill/plan.hpp"

namespace gemmill {

/// What an opcode takes. Fields of a step that it does not take stay as they are by default.
struct OpInfo {
    const char* name = "";
    bool moves = false;       ///< over a link; others are kernels
    int least = 1, most = 1;  ///< inputs
    bool weight = false;      ///< of what is added
    bool keep = false;        ///< of the old value
    bool op_a = false, op_b = false;
    bool side = false, triangle = false, diag = false;
};

/// What a kernel takes beside its inputs, in a row of the table.
enum OpTakes : unsigned {
    takes_weight = 1,
    takes_keep = 2,
    takes_op_a = 4,
    takes_op_b = 8,
    takes_side = 16,
    takes_half = 32,  ///< a triangle
    takes_diag = 64,
};
constexpr OpInfo kernel_row(const char* name, int least, int most, unsigned takes) {
    return {.name = name,
            .least = least,
            .most = most,
            .weight = (takes & takes_weight) != 0,
            .keep = (takes & takes_keep) != 0,
            .op_a = (takes & takes_op_a) != 0,
            .op_b = (takes & takes_op_b) != 0,
            .side = (takes & takes_side) != 0,
            .triangle = (takes & takes_half) != 0,
            .diag = (takes & takes_diag) != 0};
}
inline constexpr unsigned takes_sum = takes_weight | takes_keep;
inline constexpr unsigned takes_update = takes_sum | takes_op_a | takes_half;
inline constexpr unsigned takes_triangular = takes_op_a | takes_side | takes_half | takes_diag;

inline constexpr std::array<OpInfo, opcode_count> op_table{{
    {.name = "fetch", .moves = true},
    {.name = "write", .moves = true, .triangle = true},
    kernel_row("gemm", 2, 2, takes_sum | takes_op_a | takes_op_b),
    kernel_row("gemmt", 2, 2, takes_update | takes_op_b),
    kernel_row("symm", 2, 2, takes_sum | takes_side | takes_half),
    kernel_row("hemm", 2, 2, takes_sum | takes_side | takes_half),
    kernel_row("syrk", 1, 1, takes_update),
    kernel_row("herk", 1, 1, takes_update),
    kernel_row("syr2k", 2, 2, takes_update),
    kernel_row("her2k", 2, 2, takes_update),
    kernel_row("trmm", 1, 2, takes_sum | takes_triangular),
    kernel_row("trsm", 1, 1, takes_weight | takes_triangular),
    kernel_row("scale", 0, 0, takes_keep | takes_half),
    kernel_row("add", 1, 1, takes_weight),
    kernel_row("mirror", 1, 1, takes_half),
}};

constexpr const OpInfo& info_of(Opcode op) { return op_table[static_cast<std::size_t>(op)]; }
constexpr bool moves(const Step& step) { return info_of(step.op).moves; }

constexpr int inputs_of(const Step& step) {
    return (step.in[0].tile >= 0 ? 1 : 0) + (step.in[1].tile >= 0 ? 1 : 0);
}

/// Only one triangle of what the step makes is touched.
constexpr bool makes_triangle(Opcode op) {
    return op == Opcode::gemmt || op == Opcode::syrk || op == Opcode::herk || op == Opcode::syr2k ||
           op == Opcode::her2k;
}
/// A factor is a square at the diagonal of a matrix of which one triangle is stored.
constexpr bool takes_triangle(Opcode op) {
    return op == Opcode::symm || op == Opcode::hemm || op == Opcode::trmm || op == Opcode::trsm;
}
/// Two products, each with the factors of the other one.
constexpr bool is_rank_2(Opcode op) { return op == Opcode::syr2k || op == Opcode::her2k; }
/// A factor, or what is made, is hermitian.
constexpr bool is_hermitian(Opcode op) {
    return op == Opcode::hemm || op == Opcode::herk || op == Opcode::her2k;
}
/// How the second factor of a rank update stands, which is the first one transposed.
constexpr Op second_op(Opcode op, Op first) {
    if (first != Op::NoTrans) return Op::NoTrans;
    return is_hermitian(op) ? Op::ConjTrans : Op::Trans;
}
/// The step reads what it overwrites: its one input stands beside out.
constexpr bool in_place(const Step& step) {
    return step.op == Opcode::trsm || (step.op == Opcode::trmm && step.in[1].tile < 0);
}
/// Whether out is read.
constexpr bool reads_out(const Step& step) {
    return in_place(step) || step.op == Opcode::add || step.keep != Scale::zero;
}

constexpr Triangle triangle_of(Uplo uplo) {
    return uplo == Uplo::Lower ? Triangle::lower : Triangle::upper;
}
/// Of a triangle that is not none.
constexpr Uplo uplo_of(Triangle triangle) {
    return triangle == Triangle::upper ? Uplo::Upper : Uplo::Lower;
}

/// The number that a name stands for.
constexpr Scalar value_of(Scale scale, Scalar alpha, Scalar beta) {
    switch (scale) {
        case Scale::zero:
            return {0, 0};
        case Scale::one:
            return {1, 0};
        case Scale::minus_one:
            return {-1, 0};
        case Scale::conj_alpha:
            return {alpha.re, -alpha.im};
        case Scale::beta:
            return beta;
        case Scale::alpha:
            break;
    }
    return alpha;
}

/// Of a hermitian target, whose other scales are real.
constexpr Scale conjugate(Scale scale) {
    if (scale == Scale::alpha) return Scale::conj_alpha;
    return scale == Scale::conj_alpha ? Scale::alpha : scale;
}

// --- products -----------------------------------------------------------------------------------

/// [first, first + count).
struct Span {
    index_t first = 0, count = 0;
    bool operator==(const Span&) const = default;
};
constexpr index_t end_of(const Span& span) { return span.first + span.count; }
constexpr Span rows_of(const Tile& t) { return {t.row, t.rows}; }
constexpr Span cols_of(const Tile& t) { return {t.col, t.cols}; }

/// Rows and k of op(tile) as the first factor, k and columns as the second.
struct Factors {
    Span outer, inner;
};
constexpr Factors first_factor(Op op, const Tile& t) {
    return op == Op::NoTrans ? Factors{rows_of(t), cols_of(t)} : Factors{cols_of(t), rows_of(t)};
}
constexpr Factors second_factor(Op op, const Tile& t) {
    const Factors f = first_factor(op, t);
    return {f.inner, f.outer};
}

/// weight op_first(first) op_second(second), added to the step's target.
struct Product {
    Scale weight = Scale::one;
    Ref first, second;
    Op op_first = Op::NoTrans, op_second = Op::NoTrans;
};
/// The products that a kernel adds, up to two; none of trsm, scale, add, mirror and transfers.
struct Products {
    std::array<Product, 2> list;
    int count = 0;
    const Product* begin() const { return list.data(); }
    const Product* end() const { return list.data() + count; }
};
Products products_of(const Step& step);

/// Part of k that a kernel covers; nothing without inputs.
Span k_span(const Plan& plan, const Step& step);

}  // namespace gemmill
