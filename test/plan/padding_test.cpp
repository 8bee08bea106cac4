// SPDX-License-Identifier: Apache-2.0
#include "plan/padding.hpp"

#include <gtest/gtest.h>

#include "plan/sample.hpp"

namespace gemmill::test {
namespace {

/// C = A B of 10 x 6 x 5 with a grain of 4, A and B in buffers, C in one or at home.
struct Padded {
    Padded() {
        plan.grain = 4;
        plan.operands = {{.name = "A", .rows = 10, .cols = 5},
                         {.name = "B", .rows = 5, .cols = 6},
                         {.name = "C", .rows = 10, .cols = 6}};
        plan.goal.target = 2;
        plan.tiles = {{0, 0, 0, 10, 5}, {1, 0, 0, 5, 6}, {2, 0, 0, 10, 6},
                      {0, 0, 0, 10, 3}, {1, 0, 0, 3, 6}, {0, 8, 4, 2, 1}};
        plan.buffers = {{0, 0, 0, 12 * 8 * 8, 12, 0, 3},
                        {0, 1, 768, 8 * 8 * 8, 8, 0, 3},
                        {0, 2, 1280, 12 * 8 * 8, 12, 0, 3}};
        step.op = Opcode::gemm;
        step.out = {2, 2};
        step.in = {Ref{0, 0}, Ref{1, 1}};
    }
    Plan plan;
    Step step;
};

TEST(Padding, a_product_runs_over_it_where_all_have_some) {
    Padded x;
    EXPECT_EQ(extent_of(x.plan, x.step), (Extent{12, 8, 8}));
    x.step.out.buffer = Ref::home;
    EXPECT_EQ(extent_of(x.plan, x.step), (Extent{10, 6, 8}));
    x.step.in[0].buffer = Ref::home;
    EXPECT_EQ(extent_of(x.plan, x.step), (Extent{10, 6, 5}));
}

TEST(Padding, parts_that_end_before_it_have_none) {
    Padded x;
    x.step.in = {Ref{3, 0}, Ref{4, 1}};  // the first 3 of 5 products
    EXPECT_EQ(extent_of(x.plan, x.step), (Extent{12, 8, 3}));
    EXPECT_EQ(padding_of(x.plan, {3, 0}, x.plan.tiles[3]), (Padding{2, 0}));
    EXPECT_EQ(padding_of(x.plan, {5, 0}, x.plan.tiles[5]), (Padding{2, 3}));
}

TEST(Padding, transposed_factors_have_it_along_the_other_size) {
    Padded x;
    x.step.in = {Ref{1, 1}, Ref{0, 0}};
    x.step.op_a = x.step.op_b = Op::Trans;
    x.plan.tiles[2] = {2, 0, 0, 6, 10};  // C transposed
    x.plan.operands[2] = {.name = "C", .rows = 6, .cols = 10};
    EXPECT_EQ(extent_of(x.plan, x.step), (Extent{8, 12, 8}));
}

TEST(Padding, the_target_is_no_factor_with_zeros) {
    Padded x;
    x.plan.goal.target = 0;
    EXPECT_EQ(extent_of(x.plan, x.step).k, 5);
}

TEST(Padding, triangular_kernels_keep_to_their_tiles) {
    Padded x;
    x.plan.tiles[0] = {0, 0, 0, 10, 10};
    for (const Opcode op : {Opcode::trsm, Opcode::trmm}) {
        x.step.op = op;
        x.step.in = {Ref{0, 0}, Ref{}};
        EXPECT_EQ(extent_of(x.plan, x.step), (Extent{10, 6, 10}));
    }
}

TEST(Padding, fetches_of_factors_clear_it_piece_by_piece) {
    Padded x;
    x.step.op = Opcode::fetch;
    x.step.out = {0, 0};
    x.step.in = {Ref{0, Ref::home}, Ref{}};
    EXPECT_EQ(cleared_by(x.plan, x.step), (Padding{2, 3}));
    x.step.pieces = 2;
    EXPECT_EQ(cleared_by(x.plan, x.step), (Padding{2, 0}));
    x.step.piece = 1;
    EXPECT_EQ(cleared_by(x.plan, x.step), (Padding{2, 3}));
    x.step.out = {2, 2};
    x.step.in = {Ref{2, Ref::home}, Ref{}};
    EXPECT_EQ(cleared_by(x.plan, x.step), Padding{});
}

TEST(Padding, without_a_grain_there_is_none) {
    Padded x;
    x.plan.grain = 1;
    EXPECT_EQ(extent_of(x.plan, x.step), (Extent{10, 6, 5}));
}

}  // namespace
}  // namespace gemmill::test
