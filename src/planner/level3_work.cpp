// SPDX-License-Identifier: Apache-2.0
#include "planner/level3_work.hpp"

#include "plan/form.hpp"

namespace gemmill {

Tile stored_tile(Operand operand, Op op, const Part& rows, const Part& cols) {
    const Part &r = op == Op::NoTrans ? rows : cols, &c = op == Op::NoTrans ? cols : rows;
    return {operand, r.first, c.first, r.count, c.count};
}

std::vector<Target> targets_of(const Problem& p, const Cut& cut) {
    if (writes_triangle(p.routine)) return rank_targets(p, cut);
    return is_in_place(p.routine) ? triangular_targets(p, cut) : symm_targets(p, cut);
}

}  // namespace gemmill
