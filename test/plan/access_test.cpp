// SPDX-License-Identifier: Apache-2.0
#include "plan/access.hpp"

#include <gtest/gtest.h>

#include "support/rich_plan.hpp"

namespace gemmill::test {
namespace {

TEST(Access, roundings_are_counted_by_parts_of_k) {
    const Machine m = synthetic_machine("gpu:1(mem=1GB,d=1T)");
    Problem p;
    p.m = p.n = 4, p.k = 10;
    Options options;
    options.tile = 4;
    options.late_c = "never";
    EXPECT_EQ(roundings(make_plan(p, m, options)), 3);
    p.k = 0;
    EXPECT_EQ(roundings(make_plan(p, m, options)), 1);
    Random random(1);
    EXPECT_EQ(roundings(rich_plan(random)), 4);  // two parts, made apart and added
}

TEST(Access, pieces_cover_the_columns) {
    for (index_t cols = 0; cols < 12; ++cols)
        for (int pieces = 1; pieces < 8; ++pieces) {
            index_t next = 0;
            for (int piece = 0; piece < pieces; ++piece) {
                const Columns part = piece_columns(cols, piece, pieces);
                EXPECT_EQ(part.first, next);
                next += part.count;
            }
            EXPECT_EQ(next, cols);
        }
}

/// All that a goal says of reading, bytes and flops, as the problem says it.
TEST(Access, goals_read_and_work_as_their_problems) {
    Problem p;
    p.m = 3, p.n = 5, p.k = 7;
    p.type = Type::z;
    Plan plan;
    for (const Factor alpha : {Factor::zero, Factor::one, Factor::general})
        for (const Factor beta : {Factor::zero, Factor::one, Factor::general}) {
            p.alpha = alpha, p.beta = beta;
            describe(p, plan);
            for (const OperandId id : {operand::A, operand::B, operand::C}) {
                EXPECT_EQ(is_read(plan.goal, id), is_read(p, id));
                EXPECT_EQ(needed_bytes(operand_of(plan, id)), needed_bytes(p, id));
            }
            EXPECT_EQ(flops_of(plan.operands, plan.goal), flops_of(p));
        }
}

TEST(Access, where_blocks_lie) {
    const Tile square{operand::C, 4, 4, 4, 4}, below{operand::C, 8, 4, 4, 4};
    EXPECT_TRUE(at_diagonal(square));
    EXPECT_EQ(place_of(Triangle::lower, square), Place::across);
    EXPECT_EQ(place_of(Triangle::lower, below), Place::inside);
    EXPECT_EQ(place_of(Triangle::upper, below), Place::beyond);
    EXPECT_EQ(place_of(Triangle::none, square), Place::inside);
    EXPECT_TRUE(off_diagonal(Triangle::lower, below));
    // A row that ends at the diagonal is inside, but not off the diagonal.
    const Tile row{operand::C, 7, 4, 1, 4};
    EXPECT_EQ(place_of(Triangle::lower, row), Place::inside);
    EXPECT_FALSE(off_diagonal(Triangle::lower, row));
    EXPECT_EQ(place_of(Triangle::upper, row), Place::across);
}

}  // namespace
}  // namespace gemmill::test
