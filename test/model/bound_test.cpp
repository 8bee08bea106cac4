// SPDX-License-Identifier: Apache-2.0
// The bound is below every prediction, also where the way is odd.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "support/plan_case.hpp"
#include "task/describe.hpp"
#include "task/problem.hpp"

namespace gemmill::test {
namespace {

/// Without latencies only bytes and flops take time.
Machine without_latencies(const char* line) {
    Machine m = synthetic_machine(line);
    m.call = m.issue = 0;
    for (Device& device : m.devices) device.launch = 0;
    for (Link& link : m.links) link.latency = 0;
    return m;
}

constexpr double close = 2e-4;  // of the bound: the search for it ends there

void expect_bound(double bound, double expected) {
    EXPECT_LE(bound, expected * (1 + 1e-9));
    EXPECT_GE(bound, expected * (1 - close));
}

TEST(Bound, arithmetic_and_links_by_hand) {
    const Machine m = without_latencies("gpu:2(mem=1GB,d=1T) pcie:10GB/s");
    Problem p;
    p.m = p.n = p.k = 1000;
    const DeviceId one[] = {0}, two[] = {0, 1};
    // 2e9 flops at 1 TFLOP/s against 16 MB in over 10 GB/s.
    expect_bound(bound_seconds(m, p, one), 2e-3);
    expect_bound(bound_seconds(m, p, two), 1e-3);
    p.k = 10;
    expect_bound(bound_seconds(m, p, one), 8e6 / 10e9);  // C out
    p.home = {1, 1, 1};
    expect_bound(bound_seconds(m, p, one), 2e7 / 1e12);
}

/// Both ways through the same cores: what comes and what goes add up, on one device and on two.
TEST(Bound, knows_what_links_share_both_ways) {
    Machine m = without_latencies("gpu:2(mem=1GB,d=1T) pcie:10GB/s");
    m.resources.push_back({"packers", 12e9, ""});
    const auto packers = static_cast<ResourceId>(m.resources.size() - 1);
    for (Link& link : m.links)
        if (link.from == 0 || link.to == 0) link.resources.push_back(packers);
    Problem p;
    p.m = p.n = 1000, p.k = 10;
    p.beta = Factor::general;
    const DeviceId one[] = {0}, two[] = {0, 1};
    expect_bound(bound_seconds(m, p, one), (16e6 + 2 * 80e3) / 12e9);
    expect_bound(bound_seconds(m, p, two), (16e6 + 2 * 80e3) / 12e9);
}

/// The first product waits for two fetches and a launch, the last one for a write.
TEST(Bound, knows_what_the_host_and_latencies_take) {
    Machine m = without_latencies("gpu:1(mem=1GB,d=1T) pcie:10GB/s");
    Problem p;
    p.m = p.n = p.k = 1000;
    const DeviceId one[] = {0};
    const double bare = bound_seconds(m, p, one);
    m.call = 1e-3, m.issue = 2e-3;
    m.devices[0].launch = 3e-3;
    for (Link& link : m.links) link.latency = 4e-3;
    // Issued are the call and three steps, which is longer than the call, one step and a latency.
    expect_bound(bound_seconds(m, p, one), 1e-3 + 3 * 2e-3 + 3e-3 + bare + 4e-3);
}

/// Sixteen devices with a link each: all of A and B comes to some of them, and parts of it to more,
/// for a product of a, b and c elements has sqrt(a b c) multiply-adds at most. Here a and b are
/// half of what a link brings and c is what it takes away, S each: (2 n^3 / 16)^(2/3).
TEST(Bound, knows_that_devices_share_rows_and_columns) {
    const Machine m = without_latencies("gpu:16(mem=9GB,d=1000T) pcie:10GB/s");
    Problem p;
    p.m = p.n = p.k = 4000;
    p.beta = Factor::zero;
    std::vector<DeviceId> all;
    for (DeviceId d = 0; d < 16; ++d) all.push_back(d);
    const double elements = std::pow(2 * std::pow(4000.0, 3) / 16, 2.0 / 3);
    expect_bound(bound_seconds(m, p, all), elements * 8 / 10e9);
}

/// What is computed where A does not lie needs A to leave that memory.
TEST(Bound, knows_that_operands_on_a_device_must_leave_it) {
    const Machine m = without_latencies("gpu:2(mem=9GB,d=1T) pcie:1GB/s nvlink:2GB/s");
    Problem p;
    p.m = 1000, p.n = 10, p.k = 1000;
    p.home = {1, 1, 1};
    const DeviceId both[] = {0, 1};
    // 3 GB/s leave the first device: 2e-5 s of arithmetic are hardly less than what it does alone.
    const double alone = 2e7 / 1e12, bound = bound_seconds(m, p, both);
    EXPECT_GT(bound, 0.9 * alone);
    EXPECT_LT(bound, alone);
}

/// No plan of any policy is faster, for any routine and placement.
TEST(Bound, no_plan_beats_it) {
    Random random(5);
    const char* lines[] = {"gpu:6(mem=1GB,d=20T,z=20T) pcie:12GB/s(shared=2)",
                           "gpu:4(mem=1GB,d=5T,z=5T) pcie:20GB/s nvlink:100GB/s", "summit-node",
                           "makalu"};
    for (int i = 0; i < affordable(60); ++i) {
        const std::string name = lines[i % 4];
        const Machine m = name.starts_with("gpu") ? synthetic_machine(name) : load_machine(name);
        Problem p;
        p.routine = static_cast<Routine>(random.between(0, 9));
        p.type = is_hermitian(p.routine) ? Type::z : Type::d;
        p.m = random.between(100, 3000), p.n = random.between(100, 3000);
        p.k = random.between(100, 3000);
        if (writes_triangle(p.routine)) p.m = p.n;
        if (reads_triangle(p.routine)) p.k = p.side == Side::Left ? p.m : p.n;
        for (MemoryId& home : p.home)
            if (random.chance(30))
                home = static_cast<MemoryId>(
                    random.between(0, static_cast<index_t>(m.memories.size()) - 1));
        for (const Policy& policy : policies()) {
            Options options;
            options.policy = policy.name;
            const Plan plan = make_plan(p, m, options);
            ASSERT_LE(plan.prediction.bound_seconds, plan.prediction.seconds * (1 + 1e-9))
                << to_string(plan);
        }
    }
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
    Machine m = without_latencies("gpu:3(mem=1GB,d=100T) pcie:10GB/s");
    m.resources = {{"left", 10e9, ""}, {"right", 10e9, ""}};
    for (Link& link : m.links) link.resources.clear();
    m.links[static_cast<std::size_t>(find_link(m, 0, 1))].resources = {0, 1};
    m.links[static_cast<std::size_t>(find_link(m, 0, 2))].resources = {0};
    m.links[static_cast<std::size_t>(find_link(m, 0, 3))].resources = {1};
    Problem p;
    p.m = p.n = p.k = 4000;
    const DeviceId all[] = {0, 1, 2};
    // 256 MB at no more than 20 GB/s: the second and the third link, with the first idle.
    expect_bound(bound_seconds(m, p, all), 256e6 / 20e9);
}

}  // namespace
}  // namespace gemmill::test
