// SPDX-License-Identifier: Apache-2.0
#include "plan/ops.hpp"

namespace gemmill {
namespace {

/// op of the second factor where both are the same matrix.
Op flipped(Op op, bool hermitian) {
    if (op != Op::NoTrans) return Op::NoTrans;
    return hermitian ? Op::ConjTrans : Op::Trans;
}

Products one(const Product& product) { return {{product, {}}, 1}; }

/// The triangular factor has op_a, on whichever side it stands.
Product triangular_product(const Step& s) {
    const bool left = s.side == Side::Left;
    if (!in_place(s))
        return {s.weight, s.in[0], s.in[1], left ? s.op_a : Op::NoTrans,
                left ? Op::NoTrans : s.op_a};
    return left ? Product{s.weight, s.in[0], s.out, s.op_a, Op::NoTrans}
                : Product{s.weight, s.out, s.in[0], Op::NoTrans, s.op_a};
}

Products rank_2(const Step& s, bool hermitian) {
    const Op flip = flipped(s.op_a, hermitian);
    return {{Product{s.weight, s.in[0], s.in[1], s.op_a, flip},
             Product{hermitian ? conjugate(s.weight) : s.weight, s.in[1], s.in[0], s.op_a, flip}},
            2};
}

}  // namespace

Products products_of(const Step& s) {
    switch (s.op) {
        case Opcode::gemm:
        case Opcode::gemmt:
            return one({s.weight, s.in[0], s.in[1], s.op_a, s.op_b});
        case Opcode::symm:
        case Opcode::hemm:
            return one({s.weight, s.in[0], s.in[1], Op::NoTrans, Op::NoTrans});
        case Opcode::syrk:
        case Opcode::herk:
            return one({s.weight, s.in[0], s.in[0], s.op_a, flipped(s.op_a, s.op == Opcode::herk)});
        case Opcode::syr2k:
        case Opcode::her2k:
            return rank_2(s, s.op == Opcode::her2k);
        case Opcode::trmm:
            return one(triangular_product(s));
        default:
            return {};
    }
}

Span k_span(const Plan& plan, const Step& step) {
    const bool multiplies = !moves(step) && step.op != Opcode::add && step.op != Opcode::mirror;
    if (step.in[0].tile < 0 || !multiplies) return {};
    const auto tile = [&](const Ref& ref) -> const Tile& {
        return plan.tiles[static_cast<std::size_t>(ref.tile)];
    };
    if (step.op == Opcode::trsm) return rows_of(tile(step.in[0]));
    // As products_of has it: a triangular factor on the right is the second one.
    const bool right = step.op == Opcode::trmm && step.side == Side::Right;
    const Ref& first = right && in_place(step) ? step.out : step.in[0];
    return first_factor(right ? Op::NoTrans : step.op_a, tile(first)).inner;
}

}  // namespace gemmill
