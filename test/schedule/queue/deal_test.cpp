// SPDX-License-Identifier: Apache-2.0
#include "schedule/queue/deal.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "schedule/schedule.hpp"
#include "support/schedule_case.hpp"

namespace gemmill::test {
namespace {

std::size_t count(const Deal& deal) {
    std::size_t sum = 0;
    for (const auto& lane : deal) sum += lane.size();
    return sum;
}

class DealTest : public ::testing::Test {
  protected:
    DealTest() {
        p_.m = p_.n = p_.k = 80;
        tasks_ = tasks_of(p_, {8, 8, 40});
        frame_ = frame_of(p_, two_gpus());
        plan_ = schedule_on_clock(frame_, tasks_, {});
    }
    Problem p_;
    Tasks tasks_;
    Plan frame_, plan_;
};

TEST_F(DealTest, has_all_tasks_but_the_last) {
    EXPECT_EQ(count(deal_of(plan_, tasks_, frame_.devices, 0)), 100u);
    const Deal all = deal_of(plan_, tasks_, frame_.devices, 0);
    const Deal most = deal_of(plan_, tasks_, frame_.devices, 0.15);
    EXPECT_EQ(count(most), 85u);
    for (std::size_t d = 0; d < most.size(); ++d) {
        ASSERT_LE(most[d].size(), all[d].size());
        EXPECT_TRUE(std::equal(most[d].begin(), most[d].end(), all[d].begin()));
    }
}

TEST_F(DealTest, says_who_computes) {
    const Deal deal = deal_of(plan_, tasks_, frame_.devices, 0);
    for (const Step& step : plan_.steps) {
        const Queue& queue = plan_.queues[static_cast<std::size_t>(step.queue)];
        if (queue.kind != QueueKind::compute) continue;
        const auto same = [&](TaskId t) {
            return tasks_.tasks[static_cast<std::size_t>(t)].target == step.out.tile;
        };
        EXPECT_TRUE(std::ranges::any_of(deal[static_cast<std::size_t>(queue.index)], same));
    }
}

TEST_F(DealTest, leaves_out_what_the_plan_does_not_compute_so) {
    EXPECT_EQ(count(deal_of(plan_, tasks_of(p_, {16, 8, 40}), frame_.devices, 0)), 0u);
    const std::vector<DeviceId> second{1};
    const Deal deal = deal_of(plan_, tasks_, second, 0);
    ASSERT_EQ(deal.size(), 1u);
    EXPECT_EQ(deal.front(), deal_of(plan_, tasks_, frame_.devices, 0)[1]);
}

Problem solve(index_t m, index_t n, Side side) {
    Problem p;
    p.routine = Routine::trsm;
    p.m = m, p.n = n, p.side = side;
    p.k = side == Side::Left ? m : n;
    return p;
}

TEST(DealOfChains, a_chain_stays_on_one_device_and_first_tasks_come_first) {
    for (const Side side : {Side::Left, Side::Right}) {
        const Problem p = solve(32, 32, side);
        const Tasks tasks = tasks_of(p, {8, 8, 8});
        const Deal deal = deal_of_chains(frame_of(p, two_gpus()), tasks);
        ASSERT_EQ(deal.size(), 2u);
        EXPECT_EQ(count(deal), 16u);
        std::map<index_t, std::set<std::size_t>> owners;
        for (std::size_t d = 0; d < deal.size(); ++d)
            for (std::size_t i = 0; i < deal[d].size(); ++i) {
                const Tasks::Task& t = tasks.tasks[static_cast<std::size_t>(deal[d][i])];
                owners[side == Side::Left ? t.col : t.row].insert(d);
                const auto before = tasks.tasks[static_cast<std::size_t>(deal[d][i ? i - 1 : 0])];
                EXPECT_GE(t.after.count, before.after.count);
            }
        for (const auto& [chain, who] : owners) EXPECT_EQ(who.size(), 1u) << chain;
    }
}

TEST(DealOfChains, faster_devices_get_more_chains) {
    Machine machine = two_gpus();
    for (double& peak : machine.devices[1].peak) peak *= 3;
    const Problem p = solve(16, 64, Side::Left);
    const Deal deal = deal_of_chains(frame_of(p, machine), tasks_of(p, {8, 8, 8}));
    ASSERT_EQ(deal.size(), 2u);
    EXPECT_EQ(deal[0].size(), 4u);
    EXPECT_EQ(deal[1].size(), 12u);
}

TEST(DealOfChains, nothing_where_tasks_do_not_wait_or_chains_are_few) {
    Problem p;
    p.m = p.n = p.k = 32;
    EXPECT_TRUE(deal_of_chains(frame_of(p, two_gpus()), tasks_of(p, {8, 8, 8})).empty());
    p = solve(32, 8, Side::Left);
    EXPECT_TRUE(deal_of_chains(frame_of(p, two_gpus()), tasks_of(p, {8, 8, 8})).empty());
}

}  // namespace
}  // namespace gemmill::test
