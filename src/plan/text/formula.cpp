// SPDX-License-Identifier: Apache-2.0
#include "plan/text/formula.hpp"

#include <fmt/format.h>

#include <utility>

#include "plan/access.hpp"
#include "plan/text/words.hpp"

namespace gemmill {
namespace {

/// Of a product with both factors given the triangular one may be the second.
bool second_is_triangular(const Step& step) {
    return step.op == Opcode::trmm && !in_place(step) && step.side == Side::Right;
}

std::string_view name_at(const Plan& plan, OperandId id) {
    const bool there = id >= 0 && static_cast<std::size_t>(id) < plan.operands.size();
    return there ? std::string_view(operand_of(plan, id).name) : "?";
}

}  // namespace

void SumText::add(Scale scale, std::string_view text) {
    if (!text_.empty()) text_ += " + ";
    if (scale != Scale::one) text_ += fmt::format("{} ", word_of(scale_words, scale));
    text_ += text;
}

std::string sum_of(const Plan& plan, const Goal& goal) {
    SumText sum;
    if (goal.keep != Scale::zero) sum.add(goal.keep, name_at(plan, goal.target));
    for (const Term& term : goal.terms)
        sum.add(term.weight,
                fmt::format("{}{} {}{}", name_at(plan, term.first), suffix_of(term.op_first),
                            name_at(plan, term.second), suffix_of(term.op_second)));
    return sum.take();
}

Op op_of_input(const Step& step, int input) {
    if (input == 0) return second_is_triangular(step) ? Op::NoTrans : step.op_a;
    return second_is_triangular(step) ? step.op_a : step.op_b;
}

void set_op_of_input(Step& step, int input, Op op) {
    if (op == Op::NoTrans) return;
    (input == 0 || second_is_triangular(step) ? step.op_a : step.op_b) = op;
}

std::string flags_of(const Step& step) {
    const OpInfo& info = info_of(step.op);
    std::string text;
    if (info.side) text += fmt::format(" {}", word_of(side_words, step.side == Side::Right));
    if (step.triangle != Triangle::none)
        text += fmt::format(" {}", word_of(triangle_words, step.triangle));
    if (info.diag) text += fmt::format(" {}", word_of(diag_words, step.diag == Diag::Unit));
    return text;
}

std::string ref_text(const Plan& plan, const Ref& ref) {
    const std::string tile = name_of(plan, tile_of(plan, ref));
    return ref.buffer == Ref::home ? tile + "@home" : fmt::format("{}@{}", tile, ref.buffer);
}

std::string step_text(const Plan& plan, const Step& step) {
    SumText sum;
    if (step.keep != Scale::zero)
        sum.add(step.keep, name_at(plan, tile_of(plan, step.out).operand));
    std::string product;
    for (int i = 0; i < 2; ++i)
        if (step.in[static_cast<std::size_t>(i)].tile >= 0)
            product += fmt::format("{}{}{}", product.empty() ? "" : " ",
                                   ref_text(plan, step.in[static_cast<std::size_t>(i)]),
                                   suffix_of(op_of_input(step, i)));
    if (!product.empty()) sum.add(step.weight, product);
    return fmt::format("{}{} {} <- {}", name_of(step.op), flags_of(step), ref_text(plan, step.out),
                       sum.take());
}

}  // namespace gemmill
