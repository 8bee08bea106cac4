// SPDX-License-Identifier: Apache-2.0
#include "plan/check/match.hpp"

#include "plan/access.hpp"

namespace gemmill {
namespace {

/// Whether op(X) is what the goal asks for.
bool same_op(const Operand& of, Op op, Op wanted) {
    if (op == wanted) return true;
    const bool real = !is_complex(of.type);
    if (real && op != Op::NoTrans && wanted != Op::NoTrans) return true;
    if (of.structure == Structure::symmetric)
        return wanted == Op::NoTrans && (op == Op::Trans || real);
    return of.structure == Structure::hermitian && wanted == Op::NoTrans &&
           (op == Op::ConjTrans || real);
}

}  // namespace

int find_term(const Plan& plan, const Product& p) {
    const Tile &first = tile_of(plan, p.first), &second = tile_of(plan, p.second);
    for (std::size_t i = 0; i < plan.goal.terms.size(); ++i) {
        const Term& term = plan.goal.terms[i];
        if (term.first == first.operand && term.second == second.operand &&
            term.weight == p.weight &&
            same_op(operand_of(plan, first), p.op_first, term.op_first) &&
            same_op(operand_of(plan, second), p.op_second, term.op_second))
            return static_cast<int>(i);
    }
    return -1;
}

}  // namespace gemmill
