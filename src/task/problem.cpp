// SPDX-License-Identifier: Apache-2.0
#include "task/problem.hpp"

namespace gemmill {

Shape stored_shape(const Problem& p, OperandId operand) {
    switch (operand) {
        case operand::A:
            if (reads_triangle(p.routine)) return {p.k, p.k};
            return p.op_a == Op::NoTrans ? Shape{p.m, p.k} : Shape{p.k, p.m};
        case operand::B:
            if (!has_b(p.routine)) return {0, 0};
            if (reads_triangle(p.routine)) return {p.m, p.n};
            if (is_rank_2(p.routine)) return stored_shape(p, operand::A);
            return p.op_b == Op::NoTrans ? Shape{p.k, p.n} : Shape{p.n, p.k};
        default:
            return {p.m, p.n};
    }
}

bool is_read(const Problem& p, OperandId operand) {
    if (p.m == 0 || p.n == 0 || (operand == operand::B && !has_b(p.routine))) return false;
    if (operand == operand::C && !is_in_place(p.routine)) return p.beta != Factor::zero;
    return p.alpha != Factor::zero && p.k > 0;
}

std::int64_t operand_bytes(const Problem& p, OperandId operand) {
    const Shape shape = stored_shape(p, operand);
    return shape.rows * shape.cols * bytes_of(p.type);
}

std::int64_t needed_bytes(const Problem& p, OperandId operand) {
    const bool half = (operand == operand::A && reads_triangle(p.routine)) ||
                      (operand == operand::C && writes_triangle(p.routine));
    const index_t n = stored_shape(p, operand).cols;
    return half ? n * (n + 1) / 2 * bytes_of(p.type) : operand_bytes(p, operand);
}

double flops_of(const Problem& p) {
    if (!is_read(p, operand::A)) return 0;
    const auto m = static_cast<double>(p.m), n = static_cast<double>(p.n);
    const auto k = static_cast<double>(p.k);
    double products = m * n * k;
    if (writes_triangle(p.routine)) products = n * (n + 1) / 2 * k * (is_rank_2(p.routine) ? 2 : 1);
    if (is_in_place(p.routine)) products = m * n * (k + 1) / 2;
    return flops_per_fma(p.type) * products;
}

Span k_span(const Problem& p, const Tile& tile) {
    const bool columns = tile.operand == operand::A ? p.op_a == Op::NoTrans : p.op_b != Op::NoTrans;
    return columns ? cols_of(tile) : rows_of(tile);
}

Span c_span(const Problem& p, const Tile& tile) {
    const bool rows = tile.operand == operand::A ? p.op_a == Op::NoTrans : p.op_b != Op::NoTrans;
    return rows ? rows_of(tile) : cols_of(tile);
}

}  // namespace gemmill
