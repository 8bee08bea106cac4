// SPDX-License-Identifier: Apache-2.0
#include "task/instruct.hpp"

#include <utility>

#include "task/problem.hpp"

namespace gemmill {
namespace {

Opcode opcode_of(Routine routine) {
    return static_cast<Opcode>(static_cast<int>(Opcode::gemm) + static_cast<int>(routine));
}
static_assert(static_cast<int>(Opcode::trsm) - static_cast<int>(Opcode::gemm) ==
              static_cast<int>(Routine::trsm));

/// A tile of a half-stored A: as it is where its rows are those wanted, else transposed.
Op mirrored(const Problem& p, const Span& stored, const Span& wanted) {
    return stored == wanted ? Op::NoTrans : flipped(Op::NoTrans, p.routine);
}

void instruct_symmetric(const Plan& plan, const Problem& p, Step& step) {
    const bool left = p.side == Side::Left;
    const Tile &a = tile_of(plan, step.in[left ? 0 : 1]), &c = tile_of(plan, step.out);
    step.weight = plan.goal.terms.front().weight;
    if (at_diagonal(a)) {
        step.op = opcode_of(p.routine);
        step.side = p.side;
        step.triangle = triangle_of(p.uplo);
    } else if (left) {
        step.op_a = mirrored(p, rows_of(a), rows_of(c));
    } else {
        step.op_b = mirrored(p, cols_of(a), cols_of(c));
    }
}

void instruct_rank(const Plan& plan, const Problem& p, Step& step) {
    const bool second = is_rank_2(p.routine) && tile_of(plan, step.in[0]).operand == operand::B;
    step.weight = plan.goal.terms[second ? 1 : 0].weight;
    step.op_a = p.op_a;
    step.triangle = triangle_at(plan, tile_of(plan, step.out));
    if (step.triangle != Triangle::none) step.op = opcode_of(p.routine);
    if (p.routine == Routine::gemmt)
        step.op_b = p.op_b;
    else if (step.triangle == Triangle::none)
        step.op_b = flipped(p.op_a, p.routine);
}

void instruct_triangular(const Plan& plan, const Problem& p, Step& step) {
    const bool left = p.side == Side::Left, alone = step.in[1].tile < 0;
    const bool own = alone || at_diagonal(tile_of(plan, step.in[left ? 0 : 1]));
    step.weight = plan.goal.terms.front().weight;
    (own || left ? step.op_a : step.op_b) = p.op_a;
    if (!own) return;
    step.op = opcode_of(p.routine);
    step.side = p.side;
    step.triangle = triangle_of(p.uplo);
    step.diag = p.diag;
    // What trsm keeps of the old C it solves for.
    if (p.routine == Routine::trsm) step.weight = std::exchange(step.keep, Scale::zero);
}

}  // namespace

Step compute_step(const Plan& plan, const Problem& p, QueueId queue, const Ref& out, Keep keep,
                  const Ref& first, const Ref& second) {
    Step step;
    step.op = Opcode::gemm;
    step.queue = queue;
    step.out = out;
    step.in = {first, second};
    step.keep = scale_of(plan, keep);
    if (first.tile < 0) {
        step.op = Opcode::scale;
        step.triangle = triangle_at(plan, tile_of(plan, out));
    } else if (writes_triangle(p.routine)) {
        instruct_rank(plan, p, step);
    } else if (mirrors(p.routine)) {
        instruct_symmetric(plan, p, step);
    } else if (is_in_place(p.routine)) {
        instruct_triangular(plan, p, step);
    } else {
        step.weight = plan.goal.terms.front().weight;
        step.op_a = p.op_a, step.op_b = p.op_b;
    }
    return step;
}

}  // namespace gemmill
