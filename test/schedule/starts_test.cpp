// SPDX-License-Identifier: Apache-2.0
#include "schedule/starts.hpp"

#include <gtest/gtest.h>

#include "support/schedule_case.hpp"

namespace gemmill::test {
namespace {

Problem square(index_t n) {
    Problem p;
    p.m = p.n = p.k = n;
    p.beta = Factor::general;
    return p;
}

TEST(Starts, take_no_more_steps_than_there_are) {
    const Problem p = square(16'384);
    const Plan frame = frame_of(p, load_machine("hgx-a100-8"));
    for (const double steps : {500.0, 5000.0}) {
        const auto starts = likely_starts(frame, p, {}, steps);
        ASSERT_FALSE(starts.empty());
        for (const Recipe& recipe : starts) EXPECT_LE(steps_of(p, recipe.tiles), steps);
    }
}

TEST(Starts, fit_the_memory) {
    const Problem p = square(8192);
    Plan frame = frame_of(p, two_gpus());
    frame.limit[1] = 64 << 20;
    const auto starts = likely_starts(frame, p, {}, 1e6);
    ASSERT_FALSE(starts.empty());
    for (const Recipe& recipe : starts)
        EXPECT_LE(8 * recipe.tiles.rows * recipe.tiles.cols, frame.limit[1]);
}

TEST(Starts, small_problems_have_fewer_devices) {
    const Machine machine = load_machine("hgx-a100-8");
    Problem small = square(1000);
    const Problem large = square(16'384);
    small.home = {1, 1, 1};  // on the first GPU, so that others would have to fetch
    EXPECT_EQ(likely_starts(frame_of(small, machine), small, {}, 1e5).front().devices.size(), 1u);
    EXPECT_EQ(likely_starts(frame_of(large, machine), large, {}, 1e5).front().devices.size(), 8u);
}

}  // namespace
}  // namespace gemmill::test
