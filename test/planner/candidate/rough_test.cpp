// SPDX-License-Identifier: Apache-2.0
#include "planner/candidate/rough.hpp"

#include <gtest/gtest.h>

#include "planner/candidate/describe.hpp"
#include "planner/candidate/start/starts.hpp"
#include "planner/shape/tiles/gemm.hpp"
#include "support/frame.hpp"

namespace gemmill::test {
namespace {

Draft frame_for(const char* machine, index_t m, index_t k, std::array<MemoryId, 3> home) {
    return frame_of(load_machine(machine), problem_of(m, k, home));
}

TEST(Rough, the_front_is_what_computes_while_a_comes) {
    EXPECT_EQ(rough_front({1, 1, 3, 0.5}), 0) << "moving takes far longer";
    EXPECT_EQ(rough_front({1, 1, 3, 100}), 0) << "rounded: 1 / 99";
    EXPECT_NEAR(rough_front({1, 1, 3, 5}), 0.25, 1e-9);
    EXPECT_EQ(rough_front({2, 1, 2, 1}), 1) << "B alone takes as long as computing";
}

TEST(Rough, panels_grow_where_computing_is_slower_than_bringing) {
    EXPECT_GT(rough_growth({1, 1, 3, 10}, 1), rough_growth({1, 1, 3, 1}, 1));
    EXPECT_LE(rough_growth({1, 1, 3, 1e6}, 1), 1.3);
}

TEST(Rough, the_device_of_c_is_favoured_where_moving_c_is_what_takes_time) {
    const Draft thin = frame_for("hgx-a100-8", 16384, 1024, {0, 0, 3});
    EXPECT_EQ(favoured_device(thin, thin.devices), 2);
    EXPECT_GT(rough_favour(thin, thin.devices), 1.5);
    const Draft deep = frame_for("hgx-a100-8", 4096, 65536, {0, 0, 3});
    EXPECT_LT(rough_favour(deep, deep.devices), 1);
    const Draft host = frame_for("hgx-a100-8", 16384, 1024, {0, 0, 0});
    EXPECT_EQ(favoured_device(host, host.devices), -1);
    EXPECT_EQ(rough_favour(host, host.devices), 1);
}

TEST(Rough, steps_are_foretold_within_a_factor_of_two) {
    const Draft frame = frame_for("hgx-a100-8", 16384, 16384, {0, 0, 0});
    for (const Candidate& c : coarse_strips(frame, start_for(frame))) {
        Draft plan = frame;
        plan_gemm(plan, c.policy, c.choice);
        const double likely = rough_steps(frame, c);
        EXPECT_LT(likely, 2 * static_cast<double>(plan.steps.size())) << describe(frame, c);
        EXPECT_GT(2 * likely, static_cast<double>(plan.steps.size())) << describe(frame, c);
    }
}

}  // namespace
}  // namespace gemmill::test
