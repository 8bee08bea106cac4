// SPDX-License-Identifier: Apache-2.0
#include "planner/candidate/pad.hpp"

#include <gtest/gtest.h>

#include "planner/planner.hpp"
#include "support/frame.hpp"
#include "support/machines.hpp"
#include "support/picky.hpp"

namespace gemmill::test {
namespace {

Draft frame(index_t n, double part, std::array<MemoryId, 3> home = {0, 0, 0}) {
    return frame_of(with_grain(two_gpus(), 16, part), problem_of(n, n, home));
}

TEST(Pad, odd_sizes_can_be_padded_where_kernels_mind) {
    EXPECT_TRUE(can_pad(frame(1001, 0.5)));
    EXPECT_FALSE(can_pad(frame(1008, 0.5)));
    EXPECT_FALSE(can_pad(frame(1001, 1)));
    EXPECT_FALSE(can_pad(frame_of(two_gpus(), problem_of(1001, 1001, {0, 0, 0}))));
}

/// B is 1008 x 1001: its columns, and those of A and C, are even.
TEST(Pad, sizes_that_are_no_length_of_a_column_do_not_matter) {
    Problem p = problem_of(1008, 1008, {0, 0, 0});
    p.n = 1001;
    const Machine picky = with_grain(two_gpus(), 16, 0.5);
    EXPECT_FALSE(can_pad(frame_of(picky, p)));
    p.op_b = Op::Trans;
    EXPECT_TRUE(can_pad(frame_of(picky, p)));
}

TEST(Pad, should_be_where_kernels_limit_and_not_links) {
    EXPECT_TRUE(should_pad(frame(1001, 0.001), {0}));
    const Machine picky = with_grain(two_gpus(), 16, 0.99);
    EXPECT_FALSE(should_pad(frame_of(picky, problem_of(1001, 17, {0, 0, 0})), {0}));
    EXPECT_TRUE(should_pad(frame(1001, 0.99, {1, 1, 1}), {0}));
}

TEST(Pad, the_search_takes_what_is_faster) {
    const auto grain_of_best = [](const Draft& f) {
        return make_plan(f.problem, f.machine, {}).grain;
    };
    EXPECT_EQ(grain_of_best(frame(1001, 0.01)), 16);
    EXPECT_EQ(grain_of_best(frame(1001, 0.999)), 1);
    EXPECT_EQ(grain_of_best(frame(1001, 0.5, {1, 1, 1})), 16);
}

}  // namespace
}  // namespace gemmill::test
