// SPDX-License-Identifier: Apache-2.0
// Random damage to what a plan is about: its goal and operands, alone or with all steps that
// follow.
#pragma once

#include <algorithm>
#include <limits>
#include <utility>

#include "plan/ops.hpp"
#include "support/gemm_case.hpp"
#include "support/random.hpp"

namespace gemmill::test {

inline constexpr int scale_count = 6;

/// Another value for a field: close by, small, or absurd.
template <class T>
T other(Random& random, T old) {
    constexpr std::int64_t strange[] = {
        -1, 0, 1, 2, 1 << 20, std::numeric_limits<T>::max(), std::numeric_limits<T>::min()};
    if (random.chance(40)) return static_cast<T>(old + (random.chance(50) ? 1 : -1));
    if (random.chance(70)) return static_cast<T>(random.below(12));
    return static_cast<T>(random.pick(strange));
}

template <class T>
inline void change(Random& random, T& field) {
    field = other(random, field);
}

template <class E>
inline void change_enum(Random& random, E& field, int count) {
    field = static_cast<E>(random.below(count));
}

inline OperandId any_operand(Random& random, const Plan& plan) {
    return static_cast<OperandId>(random.below(std::ssize(plan.operands)));
}

inline void change_term(Random& random, const Plan& plan, Term& term) {
    switch (random.below(4)) {
        case 0:
            change_enum(random, term.weight, scale_count);
            break;
        case 1:
            (random.chance(50) ? term.first : term.second) = any_operand(random, plan);
            break;
        case 2:
            (random.chance(50) ? term.op_first : term.op_second) = random.pick(all_ops);
            break;
        default:
            std::swap(term.first, term.second);
            break;
    }
}

inline void change_goal(Random& random, Plan& plan) {
    Goal& goal = plan.goal;
    switch (random.below(7)) {
        case 0:
            change(random, goal.target);
            break;
        case 1:
            change_enum(random, goal.keep, scale_count);
            break;
        case 2:
            goal.solves = !goal.solves;
            break;
        case 3:
            if (!goal.terms.empty()) goal.terms.pop_back();
            break;
        case 4:
            goal.terms.push_back({Scale::alpha, any_operand(random, plan),
                                  any_operand(random, plan), random.pick(all_ops),
                                  random.pick(all_ops)});
            break;
        default:
            if (!goal.terms.empty()) change_term(random, plan, random.pick(goal.terms));
            break;
    }
}

inline void change_operand(Random& random, Plan& plan) {
    Operand& o = random.pick(plan.operands);
    switch (random.below(7)) {
        case 0:
            change_enum(random, o.type, type_count);
            break;
        case 1:
            change(random, o.rows);
            break;
        case 2:
            change(random, o.cols);
            break;
        case 3:
            change_enum(random, o.triangle, 3);
            break;
        case 4:
            change_enum(random, o.structure, 5);
            break;
        case 5:
            for (Operand& each : plan.operands) each.type = o.type;
            break;
        default:
            change(random, o.home);
            break;
    }
}

// --- the same change in the goal and in all steps: much of it makes another plan that is right ---

inline void replace_scale(Random& random, Plan& plan) {
    const auto from = static_cast<Scale>(random.below(scale_count));
    const auto to = static_cast<Scale>(random.below(scale_count));
    const auto replace = [&](Scale& scale) {
        if (scale == from) scale = to;
    };
    replace(plan.goal.keep);
    for (Term& term : plan.goal.terms) replace(term.weight);
    for (Step& s : plan.steps) {
        if (info_of(s.op).weight) replace(s.weight);
        if (info_of(s.op).keep) replace(s.keep);
    }
}

inline void replace_op(Random& random, Plan& plan) {
    const Op from = random.pick(all_ops), to = random.pick(all_ops);
    const auto replace = [&](Op& op) {
        if (op == from) op = to;
    };
    for (Term& term : plan.goal.terms) replace(term.op_first), replace(term.op_second);
    for (Step& s : plan.steps) {
        if (info_of(s.op).op_a) replace(s.op_a);
        if (info_of(s.op).op_b) replace(s.op_b);
    }
}

inline void turn_triangles(Plan& plan) {
    const auto turn = [](Triangle& t) {
        if (t != Triangle::none) t = t == Triangle::lower ? Triangle::upper : Triangle::lower;
    };
    for (Operand& o : plan.operands) turn(o.triangle);
    for (Step& s : plan.steps) turn(s.triangle);
}

inline void turn_diagonals(Plan& plan) {
    for (Operand& o : plan.operands)
        if (o.structure == Structure::unit)
            o.structure = Structure::triangular;
        else if (o.structure == Structure::triangular)
            o.structure = Structure::unit;
    for (Step& s : plan.steps)
        if (info_of(s.op).diag) s.diag = s.diag == Diag::Unit ? Diag::NonUnit : Diag::Unit;
}

/// One opcode for another, where it is.
inline void replace_opcode(Random& random, Plan& plan) {
    using enum Opcode;
    constexpr std::pair<Opcode, Opcode> likes[] = {
        {symm, hemm},   {syrk, herk},  {syr2k, her2k}, {gemmt, syrk}, {gemmt, syr2k}, {gemmt, herk},
        {gemmt, her2k}, {gemm, gemmt}, {trmm, trsm},   {symm, gemm},  {trmm, gemm}};
    auto [from, to] = random.pick(likes);
    if (random.chance(50)) std::swap(from, to);
    for (Step& s : plan.steps) {
        if (s.op != from) continue;
        s.op = to;
        if (info_of(to).most == 1) s.in[1] = {};
        if (info_of(to).least == 2 && s.in[1].tile < 0) s.in[1] = s.in[0];
    }
}

inline void replace_structure(Random& random, Plan& plan) {
    Operand& o = random.pick(plan.operands);
    change_enum(random, o.structure, 5);
    if (random.chance(50)) replace_opcode(random, plan);
}

inline void change_everywhere(Random& random, Plan& plan) {
    switch (random.below(6)) {
        case 0:
            replace_scale(random, plan);
            break;
        case 1:
            replace_op(random, plan);
            break;
        case 2:
            turn_triangles(plan);
            break;
        case 3:
            turn_diagonals(plan);
            break;
        case 4:
            replace_opcode(random, plan);
            break;
        default:
            replace_structure(random, plan);
            break;
    }
}

}  // namespace gemmill::test
