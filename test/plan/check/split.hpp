// SPDX-License-Identifier: Apache-2.0
// Steps cut in two: the plan does the same with smaller blocks of the same buffers.
#pragma once

#include "gemmill/plan.hpp"
#include "support/random.hpp"

namespace gemmill::test {

/// Two parts of a block: `first` columns or rows, and the others.
struct Cut {
    bool columns;
    index_t first;

    Tile part(Tile tile, int number) const {
        index_t& begin = columns ? tile.col : tile.row;
        index_t& count = columns ? tile.cols : tile.rows;
        if (number != 0) begin += first;
        count = number == 0 ? first : count - first;
        return tile;
    }
};

inline void cut_ref(Plan& plan, Ref& ref, const Cut& cut, int number) {
    plan.tiles.push_back(cut.part(plan.tiles[static_cast<std::size_t>(ref.tile)], number));
    ref.tile = static_cast<TileId>(plan.tiles.size() - 1);
}

/// Leaves a step of a gemm's plan one part of its blocks; `cut` is of what it puts out.
inline void cut_step(Plan& plan, Step& step, const Cut& cut, int number) {
    cut_ref(plan, step.out, cut, number);
    if (step.op != Opcode::gemm && step.op != Opcode::scale) {
        step.in[0].tile = step.out.tile;
    } else if (step.in[0].tile >= 0) {
        const Op op = cut.columns ? step.op_b : step.op_a;
        const bool as_is = op == Op::NoTrans;
        cut_ref(plan, step.in[cut.columns ? 1 : 0], {cut.columns == as_is, cut.first}, number);
    }
}

/// Makes a second step of the same queue right behind one; who waited for it waits for both.
inline void double_step(Plan& plan, StepId id) {
    for (StepId& wait : plan.waits) wait += wait >= id ? 1 : 0;
    for (Buffer& buffer : plan.buffers) {
        buffer.first += buffer.first > id ? 1 : 0;
        buffer.last += buffer.last >= id ? 1 : 0;
    }
    const Step step = plan.steps[static_cast<std::size_t>(id)];
    plan.steps.insert(plan.steps.begin() + id, step);
}

/// Cuts a step of a valid plan in two; fetches in pieces and single columns or rows stay whole.
inline void split_step(Random& random, Plan& plan, StepId id) {
    const Step& step = plan.steps[static_cast<std::size_t>(id)];
    const Tile& tile = plan.tiles[static_cast<std::size_t>(step.out.tile)];
    const bool columns = random.chance(50);
    const index_t size = columns ? tile.cols : tile.rows;
    if (step.pieces != 1 || size < 2) return;
    const Cut cut{columns, random.between(1, size - 1)};
    double_step(plan, id);
    for (const int number : {0, 1})
        cut_step(plan, plan.steps[static_cast<std::size_t>(id + number)], cut, number);
}

}  // namespace gemmill::test
