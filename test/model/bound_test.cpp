// SPDX-License-Identifier: Apache-2.0
// The bound is below every prediction, also where the way is odd.
#include <gtest/gtest.h>

#include "support/plan_case.hpp"
#include "task/describe.hpp"

namespace gemmill::test {
namespace {

TEST(Bound, arithmetic_and_links_by_hand) {
    const Machine m = synthetic_machine("gpu:2(mem=1GB,d=1T) pcie:10GB/s");
    Problem p;
    p.m = p.n = p.k = 1000;
    const DeviceId one[] = {0}, two[] = {0, 1};
    // 2e9 flops at 1 TFLOP/s against 16 MB in over 10 GB/s.
    EXPECT_DOUBLE_EQ(bound_seconds(m, p, one), 2e-3);
    EXPECT_DOUBLE_EQ(bound_seconds(m, p, two), 1e-3);
    p.k = 10;
    EXPECT_DOUBLE_EQ(bound_seconds(m, p, one), 8e6 / 10e9);  // C out
    p.home = {1, 1, 1};
    EXPECT_DOUBLE_EQ(bound_seconds(m, p, one), 2e7 / 1e12);
}

/// A lies on a device that does not compute and has a slow link to one of the two that do, but a
/// wide one to the host: the relay must count.
TEST(Bound, holds_when_tiles_go_through_the_host) {
    Machine m = synthetic_machine("gpu:3(mem=1GB,d=100T) pcie:50GB/s");
    Link slow;
    slow.from = 3, slow.to = 1, slow.bandwidth = 1e9;
    m.links.push_back(slow);
    Problem p;
    p.m = 4000, p.n = 100, p.k = 1000;
    p.home = {3, 0, 0};
    Options options;
    options.devices = "0,1";
    const Plan plan = make_plan(p, m, options);
    EXPECT_LE(plan.prediction.bound_seconds, plan.prediction.seconds);
}

/// Fair sharing is not the most that links can carry together.
TEST(Bound, holds_when_links_cross_two_resources) {
    Machine m = synthetic_machine("gpu:3(mem=1GB,d=100T) pcie:10GB/s");
    m.resources = {{"left", 10e9, ""}, {"right", 10e9, ""}};
    for (Link& link : m.links) link.resources.clear();
    m.links[static_cast<std::size_t>(find_link(m, 0, 1))].resources = {0, 1};
    m.links[static_cast<std::size_t>(find_link(m, 0, 2))].resources = {0};
    m.links[static_cast<std::size_t>(find_link(m, 0, 3))].resources = {1};
    Problem p;
    p.m = p.n = p.k = 4000;
    const DeviceId all[] = {0, 1, 2};
    // 256 MB at no more than 20 GB/s: the second and the third link, with the first idle.
    EXPECT_NEAR(bound_seconds(m, p, all), 256e6 / 20e9, 1e-9);
}

}  // namespace
}  // namespace gemmill::test
