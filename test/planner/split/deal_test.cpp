// SPDX-License-Identifier: Apache-2.0
#include "planner/split/deal.hpp"

#include <gtest/gtest.h>

#include <map>

#include "planner/draft.hpp"
#include "task/describe.hpp"

namespace gemmill::test {
namespace {

/// A frame for problems on the host memory of a machine.
Draft frame(const Machine& machine, index_t m, index_t n, index_t k) {
    Draft plan;
    plan.machine = machine;
    plan.problem.m = m, plan.problem.n = n, plan.problem.k = k;
    describe(plan.problem, plan);
    for (const Memory& memory : machine.memories) plan.limit.push_back(memory.capacity);
    plan.slab.assign(plan.limit.size(), 0);
    for (std::size_t d = 0; d < machine.devices.size(); ++d)
        plan.devices.push_back(static_cast<DeviceId>(d));
    return plan;
}

/// How often each tile of C is dealt.
std::map<std::pair<int, int>, int> count_tiles(const Deal& deal) {
    std::map<std::pair<int, int>, int> count;
    for (const Hand& hand : deal.hands)
        for (std::size_t i = 0; i < hand.share.rows.size(); ++i)
            for (std::size_t j = 0; j < hand.share.cols.size(); ++j)
                if (hand.share.has(i, j)) ++count[{hand.share.rows[i], hand.share.cols[j]}];
    return count;
}

class DealTiles : public ::testing::TestWithParam<Spread> {};

TEST_P(DealTiles, every_tile_of_c_once) {
    const Machine machine = synthetic_machine("gpu:5(mem=1GB,d=1T) pcie:10GB/s");
    Policy policy;
    policy.spread = GetParam();
    for (const auto& [m, n] : {std::pair<index_t, index_t>{1000, 700}, {3, 900}, {1, 1}}) {
        const Draft plan = frame(machine, m, n, 500);
        Choice choice;
        choice.devices = plan.devices;
        choice.tile = {128, 128, 128};
        const Deal deal = deal_tiles(plan, policy, choice);
        index_t area = 0;
        for (const auto& [tile, times] : count_tiles(deal)) {
            EXPECT_EQ(times, 1);
            area += deal.rows[static_cast<std::size_t>(tile.first)].count *
                    deal.cols[static_cast<std::size_t>(tile.second)].count;
        }
        EXPECT_EQ(area, m * n);
    }
}

INSTANTIATE_TEST_SUITE_P(Spreads, DealTiles,
                         ::testing::Values(Spread::grid, Spread::cyclic, Spread::turns));

TEST(Deal, late_c_only_where_c_shares_its_home_and_there_is_room) {
    const Machine machine = synthetic_machine("gpu:2(mem=1GB,d=1T) nvlink:100GB/s pcie:10GB/s");
    Draft plan = frame(machine, 1000, 1000, 1000);
    plan.problem.beta = Factor::general;
    Policy policy;
    policy.late_c = LateC::shared;
    Choice choice;
    choice.devices = {0};
    EXPECT_TRUE(deal_tiles(plan, policy, choice).hands.at(0).late_c);
    plan.problem.home = {2, 2, 0};
    EXPECT_FALSE(deal_tiles(plan, policy, choice).hands.at(0).late_c);
    policy.late_c = LateC::always;
    EXPECT_TRUE(deal_tiles(plan, policy, choice).hands.at(0).late_c);
    plan.limit[1] = 1000 * 1000 * 8;
    EXPECT_FALSE(deal_tiles(plan, policy, choice).hands.at(0).late_c);
}

TEST(Deal, a_device_with_everything_at_home_gets_one_tile) {
    const Machine machine = synthetic_machine("gpu:2(mem=1GB,d=1T) nvlink:100GB/s pcie:10GB/s");
    Draft plan = frame(machine, 4000, 4000, 4000);
    plan.problem.home = {1, 1, 1};
    Choice choice;
    choice.devices = plan.devices;
    const Deal deal = deal_tiles(plan, Policy{}, choice);
    EXPECT_EQ(deal.hands.at(0).fit.tile.k, 4000);
    EXPECT_EQ(deal.hands.at(0).fit.slots, (std::array<index_t, 3>{0, 0, 0}));
    EXPECT_LT(deal.hands.at(1).fit.tile.k, 4000);
}

}  // namespace
}  // namespace gemmill::test
