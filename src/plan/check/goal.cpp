// SPDX-License-Identifier: Apache-2.0
// Goals that mean something, and that the other parts of validate() can follow.
#include <fmt/format.h>

#include <algorithm>

#include "plan/access.hpp"
#include "plan/check/faults.hpp"

namespace gemmill {
namespace {

bool within(std::int64_t i, std::size_t size) {
    return i >= 0 && i < static_cast<std::int64_t>(size);
}

bool is_triangular(const Operand& o) {
    return o.structure == Structure::triangular || o.structure == Structure::unit;
}

Op turned(Op op) { return op == Op::NoTrans ? Op::ConjTrans : Op::NoTrans; }

class Goals {
  public:
    Goals(const Plan& plan, Faults& faults) : plan_(plan), goal_(plan.goal), faults_(faults) {}

    void check() {
        const std::size_t count = plan_.operands.size();
        for (const Operand& operand : plan_.operands) check_operand(operand);
        if (!within(goal_.target, count)) return fault("goal: there is no such target");
        for (const Term& term : goal_.terms)
            if (!within(term.first, count) || !within(term.second, count))
                return fault("goal: a term has no such operand");
        if (!faults_.empty()) return;
        for (const Term& term : goal_.terms) check_term(term);
        check_target();
        if (goal_.solves) check_solves();
    }

  private:
    template <class... Args>
    void fault(fmt::format_string<Args...> text, Args&&... args) {
        faults_.add(fmt::format(text, std::forward<Args>(args)...));
    }

    void check_operand(const Operand& o) {
        if (!within(o.home, plan_.machine.memories.size()))
            fault("operand {}: home {} is no memory", o.name, o.home);
        if (o.rows < 0 || o.cols < 0) fault("operand {}: a size is negative", o.name);
        // Products of sizes must stay far from the end of 64 bits.
        if (static_cast<double>(o.rows) * static_cast<double>(o.cols) > 4e17)
            fault("operand {} is too large", o.name);
        if (o.triangle != Triangle::none && o.rows != o.cols)
            fault("operand {} has a triangle and is not square", o.name);
        if (o.structure != Structure::general && o.triangle == Triangle::none)
            fault("operand {}: which triangle is stored?", o.name);
        if (o.structure == Structure::hermitian && !is_complex(o.type))
            fault("operand {} is hermitian, which real numbers are not", o.name);
        if (o.type != plan_.operands.front().type)
            fault("operand {} has another type than the first", o.name);
    }

    void check_term(const Term& term) {
        if (!fits(term)) fault("goal: the operands of a term do not fit together");
        if (term.weight == Scale::zero) fault("goal: a term adds nothing");
        const Operand &first = factor(term.first), &second = factor(term.second);
        for (const Operand* o : {&first, &second})
            if (o->triangle != Triangle::none && o->structure == Structure::general)
                fault("goal: half of {} is not known", o->name);
        if (first.triangle != Triangle::none && second.triangle != Triangle::none)
            fault("goal: of a term more than one factor is half stored");
        if ((is_triangular(first) || is_triangular(second)) && goal_.terms.size() > 1)
            fault("goal: a triangular operand stands in a sum of products");
    }

    const Operand& factor(OperandId id) const { return operand_of(plan_, id); }

    bool fits(const Term& term) const {
        const auto whole = [&](OperandId id) {
            return Tile{id, 0, 0, factor(id).rows, factor(id).cols};
        };
        const Factors first = first_factor(term.op_first, whole(term.first));
        const Factors second = second_factor(term.op_second, whole(term.second));
        const Tile target = whole_target(plan_);
        return first.outer == rows_of(target) && second.outer == cols_of(target) &&
               first.inner == second.inner;
    }

    void check_target() {
        const Operand& target = target_of(plan_);
        if (target.structure != Structure::general && target.structure != Structure::hermitian)
            fault("goal: {} is stored as it is made", target.name);
        if (target.triangle != Triangle::none)
            for (const Term& term : goal_.terms)
                if (term.first == goal_.target || term.second == goal_.target)
                    fault("goal: a triangle of {} is made, but all of it is a factor", target.name);
        if (target.structure != Structure::hermitian || !is_complex(target.type)) return;
        if (goal_.keep == Scale::alpha || goal_.keep == Scale::conj_alpha)
            fault("goal: {} is hermitian, and keeps a complex part of itself", target.name);
        for (const Term& term : goal_.terms)
            if (!has_mate(term)) fault("goal: {} is hermitian, but its terms are not", target.name);
    }

    /// Whether a term is hermitian itself, its weight a real number, or there is another one that
    /// is its conjugate transpose.
    bool has_mate(const Term& t) const {
        const bool alone = t.first == t.second;
        const Term mate{alone ? t.weight : conjugate(t.weight), t.second, t.first,
                        turned(t.op_second), turned(t.op_first)};
        return t.op_first != Op::Trans && t.op_second != Op::Trans &&
               std::ranges::find(goal_.terms, mate) != goal_.terms.end();
    }

    void check_solves() {
        const Triangular of = triangular_of(plan_);
        if (of.operand < 0) return fault("goal: nothing triangular to solve with");
        const Term& term = goal_.terms.front();
        const OperandId other = of.left ? term.second : term.first;
        const Op op = of.left ? term.op_second : term.op_first;
        if (other != goal_.target || op != Op::NoTrans || term.weight != Scale::minus_one ||
            goal_.keep == Scale::zero)
            fault("goal: solves for the target with another sum than scale C - A C");
    }

    const Plan& plan_;
    const Goal& goal_;
    Faults& faults_;
};

}  // namespace

void check_goal(const Plan& plan, Faults& faults) { Goals(plan, faults).check(); }

}  // namespace gemmill
