// SPDX-License-Identifier: Apache-2.0
#include "mpi/scalapack/entry.hpp"

#include <gtest/gtest.h>

#include "gemmill/error.hpp"

namespace gemmill::scalapack::test {
namespace {

const BlacsGrid grid{2, 3, MPI_COMM_NULL};

TEST(Descriptor, of_the_first_kind_has_nine_fields) {
    const int fields[] = {1, 4, 100, 90, 8, 16, 1, -1, 55};
    const Descriptor x = read_descriptor(fields, grid);
    EXPECT_EQ(x.context, 4);
    EXPECT_EQ(x.layout.rows, 100);
    EXPECT_EQ(x.layout.cols, 90);
    EXPECT_EQ(x.layout.row_block, 8);
    EXPECT_EQ(x.layout.col_block, 16);
    EXPECT_EQ(x.layout.row_source, 1);
    EXPECT_EQ(x.layout.col_source, BlockCyclic::replicated);
    EXPECT_EQ(x.layout.first_row_block, 0);
    EXPECT_EQ(x.layout.grid_rows, 2);
    EXPECT_EQ(x.layout.grid_cols, 3);
    EXPECT_EQ(x.ld, 55);
}

TEST(Descriptor, of_the_second_kind_has_first_blocks) {
    const int fields[] = {2, 4, 100, 90, 3, 5, 8, 16, 1, 2, 55};
    const Descriptor x = read_descriptor(fields, grid);
    EXPECT_EQ(x.layout.first_row_block, 3);
    EXPECT_EQ(x.layout.first_col_block, 5);
    EXPECT_EQ(x.layout.row_block, 8);
    EXPECT_EQ(x.layout.col_block, 16);
    EXPECT_EQ(x.layout.row_source, 1);
    EXPECT_EQ(x.layout.col_source, 2);
    EXPECT_EQ(x.ld, 55);
}

TEST(Descriptor, of_the_second_kind_has_no_empty_first_blocks) {
    for (const int field : {4, 5})
        for (const int size : {0, -2}) {
            int fields[] = {2, 4, 100, 90, 3, 5, 8, 16, 1, 2, 55};
            fields[field] = size;
            EXPECT_THROW(read_descriptor(fields, grid), Error) << field << " " << size;
        }
}

TEST(Descriptor, of_no_known_kind_is_refused) {
    const int fields[] = {501, 4, 100, 90, 8, 16, 1, 1, 55};
    EXPECT_EQ(context_of(fields), -1);
    EXPECT_THROW(read_descriptor(fields, grid), Error);
}

TEST(Matrix, of_negative_size_is_refused) {
    const int fields[] = {1, 4, 100, 90, 8, 16, 1, 1, 55}, one = 1;
    double element = 0;
    const Argument<double> x{&element, &one, &one, fields};
    EXPECT_NO_THROW(matrix_of<double>(x, grid, 0, 5));
    EXPECT_THROW(matrix_of<double>(x, grid, -1, 5), Error);
    EXPECT_THROW(matrix_of<double>(x, grid, 5, -1), Error);
}

TEST(Flag, is_read_in_either_case) {
    EXPECT_EQ(flag<Op>("t"), Op::Trans);
    EXPECT_EQ(flag<Op>("C"), Op::ConjTrans);
    EXPECT_TRUE(is_one_of("n", "NTC"));
    EXPECT_FALSE(is_one_of("x", "NTC"));
}

/// Where a request goes.
std::string way_of(Request request) {
    std::string way;
    request.run = [&](Ranks&, const BlacsGrid&) { way += "ranks"; };
    request.pass_on = [&] { way += "behind"; };
    submit("pdgemm_", request);
    return way;
}

TEST(Submit, hands_on_what_is_not_for_ranks) {
    Request request;
    request.flops = 10;
    EXPECT_EQ(way_of(request), "behind");
    request.flops = 1e12, request.good_flags = false;
    EXPECT_EQ(way_of(request), "behind");
    request.good_flags = true, request.one_context = false;
    EXPECT_EQ(way_of(request), "behind");
    // Without BLACS no context is one.
    request.one_context = true;
    EXPECT_EQ(way_of(request), "behind");
}

TEST(Submit, says_when_there_is_nothing_behind) {
    Request request;
    request.pass_on = [] { pass_on("pdnothing_", 1); };
    testing::internal::CaptureStderr();
    submit("pdnothing_", request);
    EXPECT_NE(testing::internal::GetCapturedStderr().find("no pdnothing_ behind"),
              std::string::npos);
}

}  // namespace
}  // namespace gemmill::scalapack::test
