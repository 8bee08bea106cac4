// SPDX-License-Identifier: Apache-2.0
#include "plan/access.hpp"

#include <algorithm>
#include <set>

namespace gemmill {

Shape stored_shape(const Problem& p, Operand operand) {
    switch (operand) {
        case Operand::A:
            return p.op_a == Op::NoTrans ? Shape{p.m, p.k} : Shape{p.k, p.m};
        case Operand::B:
            return p.op_b == Op::NoTrans ? Shape{p.k, p.n} : Shape{p.n, p.k};
        case Operand::C:
            break;
    }
    return {p.m, p.n};
}

bool is_read(const Problem& p, Operand operand) {
    if (p.m == 0 || p.n == 0) return false;
    if (operand == Operand::C) return p.beta != Factor::zero;
    return p.alpha != Factor::zero && p.k > 0;
}

std::int64_t operand_bytes(const Problem& p, Operand operand) {
    const Shape shape = stored_shape(p, operand);
    return shape.rows * shape.cols * bytes_of(p.type);
}

double flops_of(const Problem& p) {
    if (!is_read(p, Operand::A)) return 0;
    return flops_per_fma(p.type) * static_cast<double>(p.m) * static_cast<double>(p.n) *
           static_cast<double>(p.k);
}

double flops_of(const Plan& plan, const Step& step) {
    if (step.kind != StepKind::compute || step.in[0].tile < 0) return 0;
    const Tile& c = plan.tiles[static_cast<std::size_t>(step.out.tile)];
    const Tile& a = plan.tiles[static_cast<std::size_t>(step.in[0].tile)];
    return flops_per_fma(plan.problem.type) * static_cast<double>(c.rows) *
           static_cast<double>(c.cols) * static_cast<double>(k_span(plan.problem, a).count);
}

std::int64_t bytes_moved(const Plan& plan, const Step& step) {
    if (step.kind != StepKind::fetch && step.kind != StepKind::write) return 0;
    const Tile& tile = plan.tiles[static_cast<std::size_t>(step.out.tile)];
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
            parts.insert(
                k_span(plan.problem, plan.tiles[static_cast<std::size_t>(step.in[0].tile)]).first);
    const bool adds = std::ranges::find(plan.steps, StepKind::add, &Step::kind) != plan.steps.end();
    return static_cast<index_t>(parts.size()) * (adds ? 2 : 1);
}

}  // namespace gemmill
