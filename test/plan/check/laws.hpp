// SPDX-License-Identifier: Apache-2.0
// Plans of the routines of level 3 to be broken, and how to find what to break.
#pragma once

#include <gtest/gtest.h>

#include "plan/check/damage.hpp"
#include "support/edit.hpp"
#include "support/plan_case.hpp"
#include "task/problem.hpp"

namespace gemmill::test {

/// Three tiles a side on one device; C lives on the host.
inline Plan plan_of(Routine routine, Factor beta = Factor::general, Type type = Type::d) {
    Problem p;
    p.routine = routine;
    p.type = type;
    p.m = p.n = p.k = 12;
    p.alpha = Factor::general;
    p.beta = beta;
    Options options;
    options.policy = "uncut";
    options.late_c = "never";
    options.tile = 4;
    options.queues = 1;
    Plan plan =
        make_plan(p, synthetic_machine("gpu:1(mem=1GB,d=1T,s=1T,c=1T,z=1T,h=2T,b=2T)"), options);
    EXPECT_TRUE(validate(plan).empty()) << validate(plan).front();
    return plan;
}

inline const Tile& tile(const Plan& plan, const Ref& ref) {
    return plan.tiles[static_cast<std::size_t>(ref.tile)];
}

/// The first step that a predicate holds for.
template <class F>
StepId find(const Plan& plan, F holds) {
    for (std::size_t i = 0; i < plan.steps.size(); ++i)
        if (holds(plan.steps[i])) return static_cast<StepId>(i);
    ADD_FAILURE() << "there is no such step";
    return 0;
}
inline Step& at(Plan& plan, StepId id) { return plan.steps[static_cast<std::size_t>(id)]; }

/// Whether a kernel is of an opcode that squares at a diagonal need.
inline bool is_own(const Step& s) { return makes_triangle(s.op) || takes_triangle(s.op); }

inline StepId product(const Plan& plan) {
    return find(plan, [&](const Step& s) { return s.op == Opcode::gemm; });
}
inline StepId own(const Plan& plan) {
    return find(plan, [&](const Step& s) { return is_own(s); });
}
/// The move of a tile of an operand, at the diagonal or off it.
inline StepId move(const Plan& plan, Opcode op, OperandId operand, bool diagonal) {
    return find(plan, [&](const Step& s) {
        return s.op == op && tile(plan, s.out).operand == operand &&
               at_diagonal(tile(plan, s.out)) == diagonal;
    });
}

inline TileId add_tile(Plan& plan, const Tile& tile) {
    plan.tiles.push_back(tile);
    return static_cast<TileId>(plan.tiles.size() - 1);
}
inline void drop(Plan& plan, StepId id) {
    drop_step(plan, id);
    live_long(plan);
}
/// Turns a tile over its operand's diagonal, wherever it is named.
inline void turn(Plan& plan, TileId id) {
    Tile& t = plan.tiles[static_cast<std::size_t>(id)];
    std::swap(t.row, t.col);
    std::swap(t.rows, t.cols);
}
inline void repeat(Plan& plan, StepId id) {
    plan.steps.push_back(at(plan, id));
    live_long(plan);
}

/// Takes the inputs away, and what was told of them.
inline void make_scale(Step& s) {
    Step scale;
    scale.op = Opcode::scale;
    scale.queue = s.queue, scale.out = s.out;
    scale.wait_begin = s.wait_begin, scale.wait_count = s.wait_count;
    s = scale;
}

}  // namespace gemmill::test
