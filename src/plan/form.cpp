// SPDX-License-Identifier: Apache-2.0
#include "plan/form.hpp"

namespace gemmill {
namespace {

const Tile& tile_of(const Plan& plan, const Ref& ref) {
    return plan.tiles[static_cast<std::size_t>(ref.tile)];
}

/// A tile of a half-stored A: as it is where its rows are those wanted, else transposed.
Op mirrored(const Problem& p, const Span& stored, const Span& wanted) {
    return stored == wanted ? Op::NoTrans : flipped(Op::NoTrans, p.routine);
}

Form symmetric(const Plan& plan, const Step& step, bool left) {
    const Problem& p = plan.problem;
    const Tile &a = tile_of(plan, step.in[left ? 0 : 1]), &c = tile_of(plan, step.out);
    Form form;
    form.own = at_diagonal(a);
    if (form.own) return form;
    (left ? form.op_a : form.op_b) = left ? mirrored(p, {a.row, a.rows}, {c.row, c.rows})
                                          : mirrored(p, {a.col, a.cols}, {c.col, c.cols});
    return form;
}

Form rank(const Plan& plan, const Step& step) {
    const Problem& p = plan.problem;
    Form form{at_diagonal(tile_of(plan, step.out)), p.op_a, p.op_b, Weight::alpha};
    if (p.routine == Routine::gemmt) return form;
    form.op_b = flipped(p.op_a, p.routine);
    const bool second = step.in[0].tile >= 0 && tile_of(plan, step.in[0]).operand == Operand::B;
    if (second && p.routine == Routine::her2k) form.weight = Weight::conj_alpha;
    return form;
}

}  // namespace

Form form_of(const Plan& plan, const Step& step) {
    const Problem& p = plan.problem;
    if (writes_triangle(p.routine)) return rank(plan, step);
    if (step.in[0].tile < 0 || !reads_triangle(p.routine))
        return {false, p.op_a, p.op_b, Weight::alpha};
    const bool left = p.side == Side::Left;
    if (!is_in_place(p.routine)) return symmetric(plan, step, left);
    const Weight weight = p.routine == Routine::trsm ? Weight::minus_one : Weight::alpha;
    const bool own = step.in[1].tile < 0 || at_diagonal(tile_of(plan, step.in[left ? 0 : 1]));
    return {own, left ? p.op_a : Op::NoTrans, left ? Op::NoTrans : p.op_a, weight};
}

Factors first_factor(Op op, const Tile& t) {
    const Span rows{t.row, t.rows}, cols{t.col, t.cols};
    return op == Op::NoTrans ? Factors{rows, cols} : Factors{cols, rows};
}

Factors second_factor(Op op, const Tile& t) {
    const Factors f = first_factor(op, t);
    return {f.inner, f.outer};
}

Span k_span(const Plan& plan, const Step& step) {
    if (step.in[0].tile < 0) return {};
    const Form form = form_of(plan, step);
    return first_factor(form.op_a, tile_of(plan, step.in[0])).inner;
}

Place place_of(Uplo uplo, const Tile& t) {
    // As if it were the lower one.
    const index_t row = uplo == Uplo::Lower ? t.row : t.col;
    const index_t col = uplo == Uplo::Lower ? t.col : t.row;
    const index_t rows = uplo == Uplo::Lower ? t.rows : t.cols;
    const index_t cols = uplo == Uplo::Lower ? t.cols : t.rows;
    if (row >= col + cols - 1) return Place::inside;
    return row + rows - 1 < col ? Place::beyond : Place::across;
}

bool off_diagonal(Uplo uplo, const Tile& t) {
    return uplo == Uplo::Lower ? t.row >= t.col + t.cols : t.col >= t.row + t.rows;
}

bool moves_triangle(const Plan& plan, const Step& step) {
    return step.kind == StepKind::write && writes_triangle(plan.problem.routine) &&
           at_diagonal(tile_of(plan, step.out));
}

}  // namespace gemmill
