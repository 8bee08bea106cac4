// SPDX-License-Identifier: Apache-2.0
#include "task/problem.hpp"

#include <gtest/gtest.h>

namespace gemmill::test {
namespace {

TEST(Problem, shapes_spans_and_reading_rules) {
    Problem p;
    p.m = 3, p.n = 5, p.k = 7;
    p.beta = Factor::zero;
    EXPECT_EQ(stored_shape(p, operand::A), (Shape{3, 7}));
    EXPECT_EQ(stored_shape(p, operand::B), (Shape{7, 5}));
    EXPECT_EQ(stored_shape(p, operand::C), (Shape{3, 5}));
    const Tile a{operand::A, 1, 2, 2, 4}, b{operand::B, 2, 1, 4, 3};
    EXPECT_EQ(k_span(p, a), (Span{2, 4}));
    EXPECT_EQ(c_span(p, a), (Span{1, 2}));
    EXPECT_EQ(k_span(p, b), (Span{2, 4}));
    EXPECT_EQ(c_span(p, b), (Span{1, 3}));
    p.op_a = Op::Trans, p.op_b = Op::ConjTrans;
    EXPECT_EQ(stored_shape(p, operand::A), (Shape{7, 3}));
    EXPECT_EQ(stored_shape(p, operand::B), (Shape{5, 7}));
    const Tile at{operand::A, 2, 1, 4, 2}, bt{operand::B, 1, 2, 3, 4};
    EXPECT_EQ(k_span(p, at), (Span{2, 4}));
    EXPECT_EQ(c_span(p, at), (Span{1, 2}));
    EXPECT_EQ(k_span(p, bt), (Span{2, 4}));
    EXPECT_EQ(c_span(p, bt), (Span{1, 3}));

    EXPECT_FALSE(is_read(p, operand::C));
    EXPECT_TRUE(is_read(p, operand::A));
    EXPECT_EQ(flops_of(p), 2.0 * 3 * 5 * 7);
    p.type = Type::z;
    EXPECT_EQ(flops_of(p), 8.0 * 3 * 5 * 7);
    EXPECT_EQ(operand_bytes(p, operand::C), 3 * 5 * 16);
    p.alpha = Factor::zero;
    EXPECT_FALSE(is_read(p, operand::A));
    EXPECT_EQ(flops_of(p), 0);
    p.alpha = Factor::one, p.k = 0;
    EXPECT_FALSE(is_read(p, operand::B));
}

TEST(Problem, of_half_stored_matrices) {
    Problem p;
    p.routine = Routine::symm;
    p.side = Side::Right;
    p.m = 3, p.n = p.k = 5;
    EXPECT_EQ(stored_shape(p, operand::A), (Shape{5, 5}));
    EXPECT_EQ(stored_shape(p, operand::B), (Shape{3, 5}));
    EXPECT_EQ(needed_bytes(p, operand::A), 8 * 15);
    EXPECT_EQ(operand_bytes(p, operand::A), 8 * 25);
    EXPECT_EQ(flops_of(p), 2.0 * 3 * 5 * 5);
    p.routine = Routine::syr2k;
    p.m = 5, p.k = 4;
    EXPECT_EQ(stored_shape(p, operand::B), (Shape{5, 4}));
    EXPECT_EQ(needed_bytes(p, operand::C), 8 * 15);
    EXPECT_EQ(flops_of(p), 2.0 * 2 * 15 * 4);
    p.routine = Routine::trmm;
    p.m = 3, p.k = 5, p.beta = Factor::zero;
    EXPECT_EQ(stored_shape(p, operand::B), (Shape{0, 0}));
    EXPECT_TRUE(is_read(p, operand::C));
    EXPECT_FALSE(is_read(p, operand::B));
    EXPECT_EQ(flops_of(p), 2.0 * 3 * 5 * 3);
}

}  // namespace
}  // namespace gemmill::test
