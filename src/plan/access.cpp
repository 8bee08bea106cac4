// SPDX-License-Identifier: Apache-2.0
#include "plan/access.hpp"

#include <algorithm>
#include <set>

namespace gemmill {
namespace {

bool is_triangular(const Operand& operand) {
    return operand.structure == Structure::triangular || operand.structure == Structure::unit;
}

/// Multiply-adds of one term of the goal.
double products_of_term(std::span<const Operand> operands, const Operand& target,
                        const Term& term) {
    const Operand& first = operands[static_cast<std::size_t>(term.first)];
    const Operand& second = operands[static_cast<std::size_t>(term.second)];
    const auto m = static_cast<double>(target.rows), n = static_cast<double>(target.cols);
    const auto k = static_cast<double>(term.op_first == Op::NoTrans ? first.cols : first.rows);
    if (target.triangle != Triangle::none) return n * (n + 1) / 2 * k;
    const bool half = is_triangular(first) || is_triangular(second);
    return m * n * (half ? (k + 1) / 2 : k);
}

}  // namespace

bool is_read(const Goal& goal, OperandId operand) {
    if (operand == goal.target && goal.keep != Scale::zero) return true;
    return std::ranges::any_of(goal.terms, [&](const Term& term) {
        return term.first == operand || term.second == operand;
    });
}

std::int64_t needed_bytes(const Operand& operand) {
    const index_t n = operand.cols;
    const index_t elements =
        operand.triangle == Triangle::none ? operand.rows * n : n * (n + 1) / 2;
    return elements * bytes_of(operand.type);
}

double flops_of(std::span<const Operand> operands, const Goal& goal) {
    const Operand& target = operands[static_cast<std::size_t>(goal.target)];
    double products = 0;
    for (const Term& term : goal.terms) products += products_of_term(operands, target, term);
    return flops_per_fma(target.type) * products;
}

double flops_of(const Plan& plan, const Step& step) {
    if (moves(step) || step.in[0].tile < 0) return 0;
    const Tile& out = tile_of(plan, step.out);
    const auto rows = static_cast<double>(out.rows), cols = static_cast<double>(out.cols);
    auto k = static_cast<double>(k_span(plan, step).count);
    if (step.op == Opcode::syr2k || step.op == Opcode::her2k) k *= 2;
    if (makes_triangle(step.op)) k *= (rows + 1) / 2 / rows;
    if (step.op == Opcode::trmm || step.op == Opcode::trsm) k = (k + 1) / 2;
    return flops_per_fma(operand_of(plan, out).type) * rows * cols * k;
}

std::int64_t bytes_moved(const Plan& plan, const Step& step) {
    if (!moves(step)) return 0;
    const Tile& tile = tile_of(plan, step.out);
    const index_t bytes = bytes_of(operand_of(plan, tile).type);
    if (step.triangle != Triangle::none) return tile.rows * (tile.rows + 1) / 2 * bytes;
    return tile.rows * piece_columns(tile.cols, step.piece, step.pieces).count * bytes;
}

Place place_of(Triangle triangle, const Tile& t) {
    if (triangle == Triangle::none) return Place::inside;
    // As if it were the lower one.
    const bool lower = triangle == Triangle::lower;
    const index_t row = lower ? t.row : t.col, col = lower ? t.col : t.row;
    const index_t rows = lower ? t.rows : t.cols, cols = lower ? t.cols : t.rows;
    if (row >= col + cols - 1) return Place::inside;
    return row + rows - 1 < col ? Place::beyond : Place::across;
}

bool off_diagonal(Triangle triangle, const Tile& t) {
    return triangle == Triangle::lower ? t.row >= t.col + t.cols : t.col >= t.row + t.rows;
}

Triangular triangular_of(const Plan& plan) {
    if (plan.goal.terms.empty()) return {};
    const Term& term = plan.goal.terms.front();
    const bool left = is_triangular(operand_of(plan, term.first));
    const OperandId id = left ? term.first : term.second;
    if (!is_triangular(operand_of(plan, id))) return {};
    const Op op = left ? term.op_first : term.op_second;
    const bool lower = (operand_of(plan, id).triangle == Triangle::lower) == (op == Op::NoTrans);
    return {id, left, lower == left, op};
}

index_t roundings(const Plan& plan) {
    std::set<index_t> parts{0};
    bool adds = false;
    for (const Step& step : plan.steps) {
        if (flops_of(plan, step) > 0) parts.insert(k_span(plan, step).first);
        adds = adds || step.op == Opcode::add;
    }
    return static_cast<index_t>(parts.size()) * (adds ? 2 : 1);
}

}  // namespace gemmill
