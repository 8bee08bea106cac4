// SPDX-License-Identifier: Apache-2.0
// What routing does to the bytes on each class of link.
#include "planner/route/transport.hpp"

#include <gtest/gtest.h>

#include "planner/planner.hpp"

namespace gemmill::test {
namespace {

Problem host_problem(index_t n) {
    Problem p;
    p.m = p.n = p.k = n;
    p.alpha = p.beta = Factor::general;
    return p;
}

Bytes moved(const Machine& machine, const Problem& problem, const Options& options) {
    const Plan plan = make_plan(problem, machine, options);
    EXPECT_TRUE(validate(plan).empty());
    return statistics(plan).moved;
}

TEST(Routing, from_home_every_device_reads_the_host) {
    const Machine machine = load_machine("hgx-a100-8");
    Options options;
    options.policy = "uncut";
    options.routing = "home";
    options.chain = "off";
    const Bytes bytes = moved(machine, host_problem(8192), options);
    EXPECT_EQ(bytes.d2d, 0);
    EXPECT_GT(bytes.h2d, 2 * 3 * 8192LL * 8192 * 8);
}

/// With any other routing each tile leaves the host once.
TEST(Routing, from_other_devices_the_host_is_read_once) {
    const Machine machine = load_machine("hgx-a100-8");
    for (const char* const routing : {"bandwidth", "eta"})
        for (const char* const chain : {"on", "off"}) {
            if (std::string_view(chain) == "off" && std::string_view(routing) == "eta") continue;
            Options options;
            options.policy = "uncut";
            options.routing = routing;
            options.chain = chain;
            const Bytes bytes = moved(machine, host_problem(8192), options);
            EXPECT_EQ(bytes.h2d, 3 * 8192LL * 8192 * 8) << routing << " " << chain;
            EXPECT_GT(bytes.d2d, 0);
        }
}

/// A chain sends its tile in pieces that overlap, so that the last device has it soon after the
/// first.
TEST(Routing, a_chain_is_faster_than_whole_tiles_one_by_one) {
    const Machine machine = load_machine("hgx-a100-8");
    Options chained;
    chained.policy = "uncut";
    Options single = chained;
    single.chain = "off";
    single.routing = "home";
    const Problem p = host_problem(16384);
    EXPECT_LT(make_plan(p, machine, chained).prediction.seconds,
              make_plan(p, machine, single).prediction.seconds);
}

TEST(Routing, without_links_between_devices_everything_goes_through_the_host) {
    const Machine machine = synthetic_machine("gpu:3(mem=1GB,d=1T) pcie:10GB/s");
    Problem p = host_problem(600);
    p.home = {1, 2, 3};
    const Bytes bytes = moved(machine, p, {});
    EXPECT_EQ(bytes.d2d, 0);
    EXPECT_GT(bytes.h2d, 0);
    EXPECT_GT(bytes.d2h, 0);
}

/// Policy xkblas does not use direct links to devices that do not compute.
TEST(Routing, outsiders_may_be_reached_through_the_host_only) {
    const Machine machine = load_machine("hgx-a100-8");
    Problem p = host_problem(4000);
    p.home = {5, 3, 0};
    Options options;
    options.policy = "xkblas";
    options.devices = "0";
    EXPECT_EQ(moved(machine, p, options).d2d, 0);
    options.policy = "uncut";
    EXPECT_GT(moved(machine, p, options).d2d, 0);
}

/// Two devices with one memory between them: tiles that one fetched are there for the other.
TEST(Routing, devices_may_share_a_memory) {
    const Machine machine = parse_machine(
        "machine twins\n"
        "memory host kind=host size=1GB\n"
        "memory card size=100MB\n"
        "device left memory=card queues=1 bandwidth=1TB/s d=1T\n"
        "device right memory=card queues=1 bandwidth=1TB/s d=2T\n"
        "link host -> card bandwidth=10GB/s\n"
        "link card -> host bandwidth=10GB/s\n");
    for (const Policy& policy : policies()) {
        Options options;
        options.policy = policy.name;
        options.tile = 100;
        const Plan plan = make_plan(host_problem(700), machine, options);
        EXPECT_TRUE(validate(plan).empty()) << policy.name << ": " << validate(plan).front();
        EXPECT_EQ(plan.devices.size(), 2U);
    }
    Options options;
    options.policy = "paralia";
    options.tile = 100;
    EXPECT_EQ(moved(machine, host_problem(700), options).h2d, 3 * 700LL * 700 * 8);
}

}  // namespace
}  // namespace gemmill::test
