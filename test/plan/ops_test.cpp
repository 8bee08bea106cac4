// SPDX-License-Identifier: Apache-2.0
// The table of opcodes, and the products that each stands for.
#include "plan/ops.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace gemmill::test {
namespace {

constexpr Ref x{0, 0}, y{1, 1}, out{2, 2};

std::vector<Opcode> all_opcodes() {
    std::vector<Opcode> all;
    for (int i = 0; i < opcode_count; ++i) all.push_back(static_cast<Opcode>(i));
    return all;
}

Step step_of(Opcode op, int inputs) {
    Step step;
    step.op = op;
    step.weight = Scale::alpha;
    step.out = out;
    if (inputs > 0) step.in[0] = x;
    if (inputs > 1) step.in[1] = y;
    return step;
}

TEST(Ops, names_are_unique) {
    std::set<std::string> names;
    for (const OpInfo& info : op_table) names.insert(info.name);
    EXPECT_EQ(names.size(), std::size_t{opcode_count});
    EXPECT_FALSE(names.contains(""));
    EXPECT_STREQ(name_of(Opcode::fetch), "fetch");
    EXPECT_STREQ(name_of(Opcode::mirror), "mirror");
}

/// Only what the table says a step may say of itself: no opcode takes a field in vain.
TEST(Ops, fields_fit_their_opcodes) {
    for (const Opcode op : all_opcodes()) {
        const OpInfo& info = info_of(op);
        EXPECT_LE(info.least, info.most) << info.name;
        EXPECT_LE(info.most, 2) << info.name;
        EXPECT_TRUE(!info.op_b || info.least == 2) << info.name;
        EXPECT_EQ(info.side, takes_triangle(op)) << info.name;
        EXPECT_TRUE(info.triangle || !(makes_triangle(op) || takes_triangle(op))) << info.name;
        EXPECT_TRUE(!info.moves || (info.most == 1 && !info.weight && !info.keep)) << info.name;
    }
}

struct Seen {
    Scale weight;
    Ref first, second;
    Op op_first, op_second;
    bool operator==(const Seen&) const = default;
};
std::vector<Seen> products(const Step& step) {
    std::vector<Seen> all;
    for (const Product& p : products_of(step))
        all.push_back({p.weight, p.first, p.second, p.op_first, p.op_second});
    return all;
}
using enum Op;
using All = std::vector<Seen>;

TEST(Ops, products_of_two_factors) {
    for (const Opcode op : {Opcode::gemm, Opcode::gemmt}) {
        Step step = step_of(op, 2);
        step.op_a = Trans, step.op_b = ConjTrans;
        EXPECT_EQ(products(step), (All{{Scale::alpha, x, y, Trans, ConjTrans}}));
    }
    for (const Opcode op : {Opcode::symm, Opcode::hemm})
        EXPECT_EQ(products(step_of(op, 2)), (All{{Scale::alpha, x, y, NoTrans, NoTrans}}));
}

TEST(Ops, products_of_rank_updates) {
    Step step = step_of(Opcode::syrk, 1);
    EXPECT_EQ(products(step), (All{{Scale::alpha, x, x, NoTrans, Trans}}));
    step.op_a = Trans;
    EXPECT_EQ(products(step), (All{{Scale::alpha, x, x, Trans, NoTrans}}));
    EXPECT_EQ(products(step_of(Opcode::herk, 1)), (All{{Scale::alpha, x, x, NoTrans, ConjTrans}}));
    EXPECT_EQ(products(step_of(Opcode::syr2k, 2)),
              (All{{Scale::alpha, x, y, NoTrans, Trans}, {Scale::alpha, y, x, NoTrans, Trans}}));
}

/// The second product of her2k is the conjugate transpose of the first, with its weight.
TEST(Ops, her2k_conjugates_its_weight) {
    Step step = step_of(Opcode::her2k, 2);
    for (const auto& [weight, other] : {std::pair{Scale::alpha, Scale::conj_alpha},
                                        {Scale::conj_alpha, Scale::alpha},
                                        {Scale::one, Scale::one},
                                        {Scale::minus_one, Scale::minus_one}}) {
        step.weight = weight;
        EXPECT_EQ(products(step),
                  (All{{weight, x, y, NoTrans, ConjTrans}, {other, y, x, NoTrans, ConjTrans}}));
    }
}

TEST(Ops, products_of_triangular_steps) {
    Step alone = step_of(Opcode::trmm, 1), both = step_of(Opcode::trmm, 2);
    alone.op_a = both.op_a = Trans;
    EXPECT_EQ(products(alone), (All{{Scale::alpha, x, out, Trans, NoTrans}}));
    EXPECT_EQ(products(both), (All{{Scale::alpha, x, y, Trans, NoTrans}}));
    alone.side = both.side = Side::Right;
    EXPECT_EQ(products(alone), (All{{Scale::alpha, out, x, NoTrans, Trans}}));
    EXPECT_EQ(products(both), (All{{Scale::alpha, x, y, NoTrans, Trans}}));
}

TEST(Ops, others_have_no_products) {
    for (const Opcode op :
         {Opcode::fetch, Opcode::write, Opcode::trsm, Opcode::scale, Opcode::add, Opcode::mirror})
        EXPECT_TRUE(products(step_of(op, info_of(op).most)).empty()) << name_of(op);
}

TEST(Ops, what_is_read_of_out) {
    EXPECT_TRUE(reads_out(step_of(Opcode::trsm, 1)));
    EXPECT_TRUE(reads_out(step_of(Opcode::trmm, 1)));
    EXPECT_FALSE(reads_out(step_of(Opcode::trmm, 2)));
    EXPECT_TRUE(reads_out(step_of(Opcode::add, 1)));
    EXPECT_FALSE(reads_out(step_of(Opcode::gemm, 2)));
    Step step = step_of(Opcode::gemm, 2);
    step.keep = Scale::beta;
    EXPECT_TRUE(reads_out(step));
}

TEST(Ops, the_part_of_k_that_a_kernel_covers) {
    Plan plan;
    plan.tiles = {{0, 3, 10, 4, 5}, {1, 10, 7, 5, 6}, {2, 3, 7, 4, 6}};
    EXPECT_EQ(k_span(plan, step_of(Opcode::gemm, 2)), (Span{10, 5}));
    Step turned = step_of(Opcode::gemm, 2);
    turned.op_a = Trans;
    EXPECT_EQ(k_span(plan, turned), (Span{3, 4}));
    EXPECT_EQ(k_span(plan, step_of(Opcode::trsm, 1)), (Span{3, 4}));
    EXPECT_EQ(k_span(plan, step_of(Opcode::scale, 0)), (Span{}));
    EXPECT_EQ(k_span(plan, step_of(Opcode::add, 1)), (Span{}));
}

TEST(Ops, scales_are_numbers_when_the_plan_runs) {
    const Scalar alpha{2, 3}, beta{5, 7};
    const std::tuple<Scale, Scalar> values[] = {{Scale::zero, {0, 0}},        {Scale::one, {1, 0}},
                                                {Scale::minus_one, {-1, 0}},  {Scale::alpha, alpha},
                                                {Scale::conj_alpha, {2, -3}}, {Scale::beta, beta}};
    for (const auto& [scale, value] : values) EXPECT_EQ(value_of(scale, alpha, beta), value);
}

}  // namespace
}  // namespace gemmill::test
