// SPDX-License-Identifier: Apache-2.0
#include "planner/route/estimate.hpp"

#include <gtest/gtest.h>

namespace gemmill::test {
namespace {

/// host -> gpu0 and host -> gpu1 at 10 GB/s behind a switch of 10 GB/s.
Machine shared_switch() { return synthetic_machine("gpu:2(mem=1GB,d=1T) pcie:10GB/s(shared=2)"); }

TEST(Estimate, a_link_is_busy_until_its_last_transfer_ends) {
    const Machine m = shared_switch();
    Estimate estimate(m);
    const LinkId link = find_link(m, 0, 1);
    const double latency = m.links[static_cast<std::size_t>(link)].latency;
    const double first = estimate.book(link, 1e9, 0);
    EXPECT_NEAR(first, 0.1 + latency, 1e-9);
    EXPECT_NEAR(estimate.end_of(link, 1e9, 0), 0.2 + 2 * latency, 1e-9);
    EXPECT_NEAR(estimate.end_of(link, 1e9, 5), 5.1 + latency, 1e-9);
}

TEST(Estimate, a_switch_is_shared) {
    const Machine m = shared_switch();
    Estimate estimate(m);
    estimate.book(find_link(m, 0, 1), 1e9, 0);
    EXPECT_GE(estimate.end_of(find_link(m, 0, 2), 1e9, 0), 0.2);
}

TEST(Estimate, tiles_arrive_where_they_were_sent) {
    const Machine m = shared_switch();
    Estimate estimate(m);
    EXPECT_EQ(estimate.arrival(3, 1), Estimate::never);
    estimate.set_arrival(3, 1, 2.5);
    EXPECT_EQ(estimate.arrival(3, 1), 2.5);
    EXPECT_EQ(estimate.arrival(3, 2), Estimate::never);
    EXPECT_EQ(estimate.arrival(2, 1), Estimate::never);
}

TEST(Estimate, kernels_of_a_device_follow_each_other) {
    const Machine m = shared_switch();
    Estimate estimate(m);
    EXPECT_EQ(estimate.compute(0, 2, 1), 3);
    EXPECT_EQ(estimate.compute(0, 2, 1), 5);
    EXPECT_EQ(estimate.device_free(0), 5);
    EXPECT_EQ(estimate.device_free(1), 0);
}

}  // namespace
}  // namespace gemmill::test
