// SPDX-License-Identifier: Apache-2.0
#include "planner/route/passing.hpp"

#include <gtest/gtest.h>

#include <set>

#include "support/frame.hpp"
#include "support/machines.hpp"
#include "task/problem.hpp"

namespace gemmill::test {
namespace {

constexpr index_t edge = 1024;  // 8 MB of doubles

/// A goes from the host to all devices of the machine in so many pieces at most.
Draft shared_plan(const char* machine, int most, int enters) {
    Draft plan = frame_of(synthetic_machine(machine), problem_of(edge, edge, {0, 0, 0}));
    Builder builder(plan);
    Timed timed(plan, builder);
    const TileId whole = builder.tile({operand::A, 0, 0, edge, edge});
    std::vector<double> ready(plan.devices.size());
    std::vector<Landing> all;
    for (std::size_t d = 0; d < ready.size(); ++d) {
        const auto memory = static_cast<MemoryId>(d + 1);
        all.push_back(
            {memory, builder.keep(memory, whole), &ready[d], static_cast<int>(d) < enters});
    }
    Passing(plan, builder, timed, most).share(whole, all);
    timed.issue();
    for (const double time : ready) EXPECT_GT(time, 0);
    return plan;
}

std::vector<LinkId> links_from_host(const Draft& plan) {
    std::vector<LinkId> links;
    for (const Step& step : plan.steps) {
        const LinkId link = plan.queues[static_cast<std::size_t>(step.queue)].index;
        if (plan.machine.links[static_cast<std::size_t>(link)].from == 0) links.push_back(link);
    }
    return links;
}

TEST(Passing, pieces_enter_over_different_links_and_reach_all) {
    const Draft plan = shared_plan("gpu:4(d=1T) nvswitch:50GB/s pcie:10GB/s", 8, 4);
    const std::vector<LinkId> links = links_from_host(plan);
    EXPECT_EQ(links.size(), 4u) << "a piece for each link";
    EXPECT_EQ(std::set(links.begin(), links.end()).size(), 4u);
    EXPECT_EQ(plan.steps.size(), 16u) << "each goes to all";
    EXPECT_EQ(statistics(plan).moved.h2d, edge * edge * 8);
}

TEST(Passing, there_are_no_more_pieces_than_asked_for_nor_other_entries) {
    const char* machine = "gpu:4(d=1T) nvswitch:50GB/s pcie:10GB/s";
    EXPECT_EQ(links_from_host(shared_plan(machine, 2, 4)).size(), 2u);
    const std::vector<LinkId> one = links_from_host(shared_plan(machine, 8, 1));
    EXPECT_EQ(one.size(), 1u);
}

TEST(Passing, where_devices_are_not_joined_each_reads_the_host) {
    const Draft plan = shared_plan("gpu:3(d=1T) pcie:10GB/s", 8, 3);
    EXPECT_EQ(links_from_host(plan).size(), plan.steps.size());
    EXPECT_EQ(statistics(plan).moved.h2d, 3 * edge * edge * 8);
}

}  // namespace
}  // namespace gemmill::test
