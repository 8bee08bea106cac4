// SPDX-License-Identifier: Apache-2.0
#include "plan/access.hpp"

#include <algorithm>
#include <set>

#include "plan/form.hpp"

namespace gemmill {

Shape stored_shape(const Problem& p, Operand operand) {
    switch (operand) {
        case Operand::A:
            if (reads_triangle(p.routine)) return {p.k, p.k};
            return p.op_a == Op::NoTrans ? Shape{p.m, p.k} : Shape{p.k, p.m};
        case Operand::B:
            if (!has_b(p.routine)) return {0, 0};
            if (reads_triangle(p.routine)) return {p.m, p.n};
            if (is_rank_2(p.routine)) return stored_shape(p, Operand::A);
            return p.op_b == Op::NoTrans ? Shape{p.k, p.n} : Shape{p.n, p.k};
        case Operand::C:
            break;
    }
    return {p.m, p.n};
}

bool is_read(const Problem& p, Operand operand) {
    if (p.m == 0 || p.n == 0 || (operand == Operand::B && !has_b(p.routine))) return false;
    if (operand == Operand::C && !is_in_place(p.routine)) return p.beta != Factor::zero;
    return p.alpha != Factor::zero && p.k > 0;
}

std::int64_t operand_bytes(const Problem& p, Operand operand) {
    const Shape shape = stored_shape(p, operand);
    return shape.rows * shape.cols * bytes_of(p.type);
}

std::int64_t needed_bytes(const Problem& p, Operand operand) {
    const bool half = (operand == Operand::A && reads_triangle(p.routine)) ||
                      (operand == Operand::C && writes_triangle(p.routine));
    const index_t n = stored_shape(p, operand).cols;
    return half ? n * (n + 1) / 2 * bytes_of(p.type) : operand_bytes(p, operand);
}

double flops_of(const Problem& p) {
    if (!is_read(p, Operand::A)) return 0;
    const auto m = static_cast<double>(p.m), n = static_cast<double>(p.n);
    const auto k = static_cast<double>(p.k);
    double products = m * n * k;
    if (writes_triangle(p.routine)) products = n * (n + 1) / 2 * k * (is_rank_2(p.routine) ? 2 : 1);
    if (is_in_place(p.routine)) products = m * n * (k + 1) / 2;
    return flops_per_fma(p.type) * products;
}

double flops_of(const Plan& plan, const Step& step) {
    if (step.kind != StepKind::compute || step.in[0].tile < 0) return 0;
    const Tile& c = plan.tiles[static_cast<std::size_t>(step.out.tile)];
    const auto rows = static_cast<double>(c.rows), cols = static_cast<double>(c.cols);
    auto k = static_cast<double>(k_span(plan, step).count);
    const Routine routine = plan.problem.routine;
    if (form_of(plan, step).own) {
        if (writes_triangle(routine)) k *= (rows + 1) / 2 / rows * (is_rank_2(routine) ? 2 : 1);
        if (is_in_place(routine)) k = (k + 1) / 2;
    }
    return flops_per_fma(plan.problem.type) * rows * cols * k;
}

std::int64_t bytes_moved(const Plan& plan, const Step& step) {
    if (step.kind != StepKind::fetch && step.kind != StepKind::write) return 0;
    const Tile& tile = plan.tiles[static_cast<std::size_t>(step.out.tile)];
    if (moves_triangle(plan, step))
        return tile.rows * (tile.rows + 1) / 2 * bytes_of(plan.problem.type);
    return tile.rows * piece_columns(tile.cols, step.piece, step.pieces).count *
           bytes_of(plan.problem.type);
}

Tile touched(const Plan& plan, const Step& step, const Ref& ref) {
    Tile tile = plan.tiles[static_cast<std::size_t>(ref.tile)];
    const Columns part = piece_columns(tile.cols, step.piece, step.pieces);
    tile.col += part.first;
    tile.cols = part.count;
    return tile;
}

MemoryId memory_of(const Plan& plan, const Ref& ref) {
    if (ref.buffer != Ref::home) return plan.buffers[static_cast<std::size_t>(ref.buffer)].memory;
    const Tile& tile = plan.tiles[static_cast<std::size_t>(ref.tile)];
    return plan.problem.home[static_cast<std::size_t>(tile.operand)];
}

Span k_span(const Problem& p, const Tile& tile) {
    const bool columns = tile.operand == Operand::A ? p.op_a == Op::NoTrans : p.op_b != Op::NoTrans;
    return columns ? Span{tile.col, tile.cols} : Span{tile.row, tile.rows};
}

Span c_span(const Problem& p, const Tile& tile) {
    const bool rows = tile.operand == Operand::A ? p.op_a == Op::NoTrans : p.op_b != Op::NoTrans;
    return rows ? Span{tile.row, tile.rows} : Span{tile.col, tile.cols};
}

index_t roundings(const Plan& plan) {
    std::set<index_t> parts{0};
    for (const Step& step : plan.steps)
        if (step.kind == StepKind::compute && step.in[0].tile >= 0)
            parts.insert(k_span(plan, step).first);
    const bool adds = std::ranges::find(plan.steps, StepKind::add, &Step::kind) != plan.steps.end();
    return static_cast<index_t>(parts.size()) * (adds ? 2 : 1);
}

}  // namespace gemmill
