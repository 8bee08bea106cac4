// SPDX-License-Identifier: Apache-2.0
// The laws of half-stored and triangular operands, each broken once.
#include <gtest/gtest.h>

#include "plan/check/laws.hpp"
#include "support/mirrored_plan.hpp"
#include "task/describe.hpp"

namespace gemmill::test {
namespace {

const Damage of_symm[] = {
    {"a tile of the other triangle is fetched", "triangle that is not used",
     [](Plan& p) { turn(p, at(p, move(p, Opcode::fetch, operand::A, false)).out.tile); }},
    {"A from the other side", "no part of the goal",
     [](Plan& p) { std::swap(p.goal.terms[0].first, p.goal.terms[0].second); }},
    {"A does not fit", "do not fit together", [](Plan& p) { p.operands[operand::C].rows = 13; }},
    {"A times A", "more than one",
     [](Plan& p) {
         p.goal.terms[0].second = operand::A;
         for (Step& s : p.steps)
             if (s.op == Opcode::symm) s.in[1] = s.in[0];
     }},
    {"hemm of a symmetric A", "do not fit together",
     [](Plan& p) { at(p, own(p)).op = Opcode::hemm; }},
    {"a square from the other side", "do not fit together",
     [](Plan& p) { at(p, own(p)).side = Side::Right; }},
};

/// The first mirror of a square, or of a block off the diagonal.
StepId mirror(const Plan& plan, bool square) {
    return find(plan, [&](const Step& s) {
        return s.op == Opcode::mirror && at_diagonal(tile(plan, s.out)) == square;
    });
}

const Damage of_mirrored[] = {
    {"a product with the user's A", "not all in its triangle",
     [](Plan& p) { at(p, product(p)).in[0].buffer = Ref::home; }},
    {"a square is not filled up", "reads what is not stored",
     [](Plan& p) { drop(p, mirror(p, true)); }},
    {"a block is not filled up", "an input has not arrived",
     [](Plan& p) { drop(p, mirror(p, false)); }},
    {"what is mirrored never came", "mirrors what has not arrived",
     [](Plan& p) {
         drop(p, find(p, [&](const Step& s) {
                  return s.op == Opcode::fetch && tile(p, s.out).operand == operand::A;
              }));
     }},
    {"the other way round", "mirrors what is not stored",
     [](Plan& p) {
         Step& s = at(p, mirror(p, false));
         std::swap(s.out, s.in[0]);
     }},
    {"of another block", "two tiles of one operand",
     [](Plan& p) { at(p, mirror(p, false)).in[0] = at(p, mirror(p, true)).in[0]; }},
    {"into the user's A", "two tiles of one operand",
     [](Plan& p) { at(p, mirror(p, false)).out.buffer = Ref::home; }},
    {"keeps something", "does not take", [](Plan& p) { at(p, mirror(p, true)).keep = Scale::one; }},
    {"of a matrix that is stored whole", "two tiles of one operand",
     [](Plan& p) {
         p.operands[operand::A].structure = Structure::general;
         p.operands[operand::A].triangle = Triangle::none;
     }},
    {"before it is there", "race", [](Plan& p) { at(p, mirror(p, true)).wait_count = 0; }},
    {"on a link", "queue of the other kind",
     [](Plan& p) {
         at(p, mirror(p, true)).queue = at(p, move(p, Opcode::fetch, operand::B, false)).queue;
     }},
};

StepId write_of(const Plan& plan, index_t row) {
    return find(
        plan, [&](const Step& s) { return s.op == Opcode::write && tile(plan, s.out).row == row; });
}

/// A square that goes into the sum of what is before it.
StepId into_sum(const Plan& plan) {
    return find(plan, [&](const Step& s) { return is_own(s) && s.in[1].tile >= 0; });
}

const Damage of_trmm[] = {
    {"a block is overwritten before it is read", "an input has not arrived",
     [](Plan& p) {
         // The first block is multiplied where it is; now one that needs it comes after.
         const StepId first = own(p);
         const StepId reader = find(p, [&](const Step& s) {
             return s.op == Opcode::gemm && s.in[1] == at(p, first).out &&
                    s.out != at(p, product(p)).out;
         });
         for (Step* s : {&at(p, first), &at(p, reader)}) s->wait_count = 0;
         std::swap(at(p, first), at(p, reader));
         live_long(p);
     }},
    {"a block is written before it is read", "that was written",
     [](Plan& p) {
         const StepId id = write_of(p, 0);
         Step early = at(p, id);
         early.wait_count = 0;
         p.steps.insert(p.steps.begin(), early);
         for (StepId& wait : p.waits) ++wait;
         live_long(p);
     }},
    {"keeps something", "keeps nothing", [](Plan& p) { at(p, own(p)).keep = Scale::one; }},
    {"a square is missing", "lacks a part of a term",
     [](Plan& p) {
         const StepId id =
             find(p, [&](const Step& s) { return is_own(s) && tile(p, s.out).row == 0; });
         make_scale(at(p, id));
     }},
    {"a square and another block", "do not fit together",
     [](Plan& p) {
         at(p, into_sum(p)).in[1] = at(p, product(p)).in[1];
         live_long(p);
     }},
    {"a block into itself", "reads what it adds to",
     [](Plan& p) { at(p, into_sum(p)).in[1] = at(p, into_sum(p)).out; }},
    {"a square twice", "a part of a term twice", [](Plan& p) { repeat(p, into_sum(p)); }},
    {"keeps the old C", "scales a tile of the target",
     [](Plan& p) { at(p, into_sum(p)).keep = Scale::beta; }},
    {"forgets the sum", "lacks a part of a term",
     [](Plan& p) { at(p, into_sum(p)).keep = Scale::zero; }},
};

const Damage of_trsm[] = {
    {"read before it is solved", "not solved", [](Plan& p) { drop(p, own(p)); }},
    {"solved before all is subtracted", "solves before",
     [](Plan& p) {
         const StepId last =
             find(p, [&](const Step& s) { return is_own(s) && tile(p, s.out).row == 8; });
         StepId before = last - 1;
         while (at(p, before).op != Opcode::gemm || at(p, before).out != at(p, last).out) --before;
         drop(p, before);
     }},
    {"solved twice", "has not arrived", [](Plan& p) { repeat(p, own(p)); }},
    {"never solved", "no sum",
     [](Plan& p) {
         drop(p, find(p, [&](const Step& s) { return is_own(s) && tile(p, s.out).row == 8; }));
     }},
    {"solves for nothing", "solves for what is not asked",
     [](Plan& p) { at(p, own(p)).weight = Scale::zero; }},
    {"solves for another", "too many inputs",
     [](Plan& p) { at(p, own(p)).in[1] = at(p, own(p)).out; }},
    {"written twice", "is written 2 times", [](Plan& p) { repeat(p, write_of(p, 8)); }},
    {"the wrong order", "", [](Plan& p) { p.operands[operand::A].triangle = Triangle::upper; }},
    {"ones on the diagonal", "do not fit together",
     [](Plan& p) { at(p, own(p)).diag = Diag::Unit; }},
    {"multiplies in the place of solving", "solve",
     [](Plan& p) {
         Step& s = at(p, own(p));
         s.op = Opcode::trmm;
         s.weight = Scale::minus_one;
     }},
    {"adds what it solves for", "goal: ", [](Plan& p) { p.goal.terms[0].weight = Scale::one; }},
    {"solves for nothing at all", "goal: ", [](Plan& p) { p.goal.keep = Scale::zero; }},
    {"solves beside another term",
     "goal: ", [](Plan& p) { p.goal.terms.push_back(p.goal.terms[0]); }},

};

TEST(Level3Laws, are_known_wherever_the_goal_stands_in_the_text) {
    const Plan plan = plan_of(Routine::syrk);
    const std::string text = to_text(plan);
    const std::size_t begin = text.find("goal "), end = text.find('\n', begin) + 1;
    const std::string last =
        text.substr(0, begin) + text.substr(end) + text.substr(begin, end - begin);
    EXPECT_TRUE(parse_plan(last) == plan);
}

TEST(Level3Laws, symm) { expect_found(plan_of(Routine::symm), of_symm); }
TEST(Level3Laws, symm_with_a_filled_up) {
    const Plan by_squares = plan_of(Routine::symm);
    Problem p = problem_of(by_squares);
    p.home[0] = by_squares.machine.devices[0].memory;  // another copy than that in the buffer
    const Plan plan = mirrored_plan(p, by_squares.machine);
    EXPECT_TRUE(validate(plan).empty()) << validate(plan).front();
    expect_found(plan, of_mirrored);
    EXPECT_TRUE(parse_plan(to_text(plan)) == plan);
}
TEST(Level3Laws, trmm) { expect_found(plan_of(Routine::trmm), of_trmm); }
TEST(Level3Laws, trsm) { expect_found(plan_of(Routine::trsm), of_trsm); }

}  // namespace
}  // namespace gemmill::test
