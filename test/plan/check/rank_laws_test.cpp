// SPDX-License-Identifier: Apache-2.0
// The laws of targets of which one triangle is made, each broken once.
#include <gtest/gtest.h>

#include "plan/check/laws.hpp"

namespace gemmill::test {
namespace {

const Damage of_syrk[] = {
    {"a product at the diagonal", "does not keep to the triangle",
     [](Plan& p) { at(p, product(p)).out = at(p, own(p)).out; }},
    {"a block across the diagonal", "beyond the triangle",
     [](Plan& p) {
         Step& s = at(p, own(p));
         Tile part = tile(p, s.out);
         part.cols -= 1;
         make_scale(s);
         s.out.tile = add_tile(p, part);
     }},
    {"a tile of C of the other triangle", "triangle that is not used",
     [](Plan& p) { turn(p, at(p, move(p, Opcode::write, operand::C, false)).out.tile); }},
    {"a write across the diagonal", "beyond the triangle",
     [](Plan& p) {
         Step& s = at(p, move(p, Opcode::write, operand::C, true));
         Tile part = tile(p, s.out);
         part.cols -= 1;
         s.out.tile = s.in[0].tile = add_tile(p, part);
     }},
    {"an add at the diagonal", "beyond the triangle",
     [](Plan& p) {
         Step& s = at(p, own(p));
         make_scale(s);
         s.op = Opcode::add;
         s.weight = Scale::beta;
         s.in[0] = {s.out.tile, Ref::home};
         p.operands[operand::C].home = 1;
     }},
    {"a product is missing", "lacks a part of a term", [](Plan& p) { drop(p, product(p)); }},
    {"a square is missing", "lacks a part of a term",
     [](Plan& p) {
         drop(p, find(p, [&](const Step& s) { return is_own(s) && s.keep == Scale::one; }));
     }},
    {"a write is missing", "is written 0 times",
     [](Plan& p) { drop(p, move(p, Opcode::write, operand::C, true)); }},
    {"a second matrix", "too many inputs",
     [](Plan& p) { at(p, own(p)).in[1] = at(p, own(p)).in[0]; }},
    {"C is not square", "is not square", [](Plan& p) { p.operands[operand::C].rows = 13; }},
    {"16 bits", "16-bit types",
     [](Plan& p) {
         for (Operand& o : p.operands) o.type = Type::h;
     }},
    {"the other triangle", "does not keep to the triangle",
     [](Plan& p) { at(p, own(p)).triangle = Triangle::upper; }},
};

const Damage of_complex_syrk[] = {
    {"a factor that is conjugated", "transposed so",
     [](Plan& p) { at(p, own(p)).op_a = Op::ConjTrans; }},
    {"conjugated", "no part of the goal",
     [](Plan& p) { p.goal.terms[0].op_second = Op::ConjTrans; }},
    {"the diagonal of a hermitian C", "hermitian",
     [](Plan& p) {
         p.operands[operand::C].structure = Structure::hermitian;
         p.goal.terms[0].op_second = Op::ConjTrans;
         for (Step& s : p.steps)
             if (s.op == Opcode::gemm) s.op_b = Op::ConjTrans;
     }},
    {"C is hermitian and the product is not", "hermitian",
     [](Plan& p) { p.operands[operand::C].structure = Structure::hermitian; }},
    {"C is symmetric", "stored as it is",
     [](Plan& p) { p.operands[operand::C].structure = Structure::symmetric; }},
};

const Damage of_complex_herk[] = {
    {"a factor that is not conjugated", "transposed so",
     [](Plan& p) { at(p, own(p)).op_a = Op::Trans; }},
    {"the diagonal of a C that is not hermitian", "hermitian",
     [](Plan& p) { p.operands[operand::C].structure = Structure::general; }},
    {"squares by gemmt", "hermitian",
     [](Plan& p) {
         for (Step& s : p.steps)
             if (s.op == Opcode::herk) {
                 s.op = Opcode::gemmt;
                 s.in[1] = s.in[0];
                 s.op_b = Op::ConjTrans;
             }
     }},
};

const Damage of_complex_her2k[] = {
    {"both terms conjugated", "its terms are not",
     [](Plan& p) {
         // The kernel conjugates its second product: the pair it makes is another one.
         for (Step& s : p.steps)
             if (info_of(s.op).weight) s.weight = Scale::conj_alpha;
         for (Term& term : p.goal.terms) term.weight = Scale::conj_alpha;
     }},
};

const Damage of_syrk_without_c[] = {
    {"C is fetched", "must not be read",
     [](Plan& p) {
         Step fetch = at(p, move(p, Opcode::fetch, operand::A, true));
         const StepId write = move(p, Opcode::write, operand::C, true);
         fetch.in[0] = {at(p, write).out.tile, Ref::home};
         fetch.out = at(p, write).in[0];
         p.steps.insert(p.steps.begin(), fetch);
         live_long(p);
     }},
};

const Damage of_syr2k[] = {
    {"one of two products is missing", "lacks a part of a term",
     [](Plan& p) { drop(p, product(p)); }},
    {"one of two products stands for both", "twice",
     [](Plan& p) {
         const StepId first = product(p);
         StepId second = first + 1;
         while (at(p, second).op != Opcode::gemm || at(p, second).out != at(p, first).out) ++second;
         std::ranges::copy(at(p, first).in, at(p, second).in.begin());
         live_long(p);
     }},
    {"A times A", "no part of the goal",
     [](Plan& p) {
         Step& s = at(p, product(p));
         s.in[0] = s.in[1];
     }},
};

TEST(RankLaws, rank_updates) {
    expect_found(plan_of(Routine::syrk), of_syrk);
    expect_found(plan_of(Routine::syrk, Factor::zero), of_syrk_without_c);
    expect_found(plan_of(Routine::syr2k), of_syr2k);
    expect_found(plan_of(Routine::syrk, Factor::general, Type::z), of_complex_syrk);
    expect_found(plan_of(Routine::herk, Factor::general, Type::z), of_complex_herk);
    expect_found(plan_of(Routine::her2k, Factor::general, Type::z), of_complex_her2k);
}

}  // namespace
}  // namespace gemmill::test
