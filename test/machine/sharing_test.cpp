// SPDX-License-Identifier: Apache-2.0
// Max-min fair sharing by its definition: no resource over its capacity, and every flow is held
// back by its own cap or by a full resource on which nobody gets more.
#include "machine/sharing.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "support/machines.hpp"

namespace gemmill::test {
namespace {

std::vector<double> rates(std::vector<double> capacities, std::vector<Flow> flows) {
    Sharing(std::move(capacities)).share(flows);
    std::vector<double> all;
    for (const Flow& flow : flows) all.push_back(flow.rate);
    return all;
}

const std::vector<ResourceId> none, r0{0}, r1{1}, both{0, 1};

TEST(Sharing, by_hand) {
    EXPECT_EQ(rates({10}, {{3, r0, 0}}), (std::vector<double>{3}));
    EXPECT_EQ(rates({10}, {{30, r0, 0}}), (std::vector<double>{10}));
    EXPECT_EQ(rates({10}, {{30, r0, 0}, {30, r0, 0}}), (std::vector<double>{5, 5}));
    EXPECT_EQ(rates({10}, {{2, r0, 0}, {30, r0, 0}}), (std::vector<double>{2, 8}));
    // The first flow crosses both; the second resource holds it and the third flow back.
    EXPECT_EQ(rates({10, 4}, {{30, both, 0}, {30, r0, 0}, {30, r1, 0}}),
              (std::vector<double>{2, 8, 2}));
    EXPECT_EQ(rates({10}, {{7, none, 0}, {9, none, 0}}), (std::vector<double>{7, 9}));
}

/// Sets of any size, one after the other: what one leaves behind does not show in the next.
TEST(Sharing, one_for_many_sets) {
    Random random(5);
    constexpr int links = 150;  // more than two words of bits
    std::vector<double> capacities;
    for (int r = 0; r < 12; ++r) capacities.push_back(static_cast<double>(random.between(1, 20)));
    std::vector<std::vector<ResourceId>> uses;
    std::vector<double> caps;
    for (int l = 0; l < links; ++l) {
        uses.push_back({static_cast<ResourceId>(random.between(0, 5)),
                        static_cast<ResourceId>(random.between(6, 11))});
        caps.push_back(static_cast<double>(random.between(1, 9)));
    }
    Sharing many(capacities);
    for (int i = 0; i < affordable(3000); ++i) {
        std::vector<Flow> flows, alone;
        const int step = static_cast<int>(random.between(1, 40));
        for (int l = static_cast<int>(random.between(0, 3)); l < links; l += step) {
            const auto at = static_cast<std::size_t>(l);
            flows.push_back({caps[at], uses[at], 0});
        }
        if (i % 2 == 0) std::ranges::reverse(flows);
        alone = flows;
        many.share(flows);
        Sharing(capacities).share(alone);
        for (std::size_t f = 0; f < flows.size(); ++f)
            ASSERT_EQ(flows[f].rate, alone[f].rate) << i << " " << f;
    }
}

TEST(Sharing, nothing_to_share) {
    std::vector<Flow> flows;
    Sharing({1, 2}).share(flows);
}

bool held_back(const Flow& flow, const std::vector<Flow>& flows,
               const std::vector<double>& capacities, const std::vector<double>& used) {
    constexpr double close = 1e-9;
    if (flow.rate >= flow.cap * (1 - close)) return true;
    return std::ranges::any_of(flow.resources, [&](ResourceId r) {
        const auto i = static_cast<std::size_t>(r);
        if (used[i] < capacities[i] * (1 - close)) return false;
        return std::ranges::all_of(flows, [&](const Flow& other) {
            return std::ranges::find(other.resources, r) == other.resources.end() ||
                   other.rate <= flow.rate * (1 + close);
        });
    });
}

TEST(Sharing, is_max_min_fair) {
    Random random(1);
    for (int i = 0; i < affordable(3000); ++i) {
        const auto resources = static_cast<std::size_t>(random.between(1, 6));
        std::vector<double> capacities(resources);
        for (double& c : capacities) c = static_cast<double>(random.between(1, 20));
        std::vector<std::vector<ResourceId>> uses(
            static_cast<std::size_t>(random.between(1, random.chance(10) ? 150 : 9)));
        std::vector<Flow> flows;
        for (auto& use : uses) {
            for (std::size_t r = 0; r < resources; ++r)
                if (random.chance(40)) use.push_back(static_cast<ResourceId>(r));
            flows.push_back({static_cast<double>(random.between(1, 20)), use, 0});
        }
        Sharing sharing(capacities);
        sharing.share(flows);
        std::vector<double> used(resources, 0);
        for (const Flow& flow : flows)
            for (const ResourceId r : flow.resources)
                used[static_cast<std::size_t>(r)] += flow.rate;
        for (std::size_t r = 0; r < resources; ++r)
            ASSERT_LE(used[r], capacities[r] * (1 + 1e-9)) << "case " << i;
        for (const Flow& flow : flows) {
            ASSERT_GT(flow.rate, 0) << "case " << i;
            ASSERT_TRUE(held_back(flow, flows, capacities, used)) << "case " << i;
        }
        // The scratch memory of one call does not show in the next.
        std::vector<Flow> again = flows;
        sharing.share(again);
        for (std::size_t f = 0; f < flows.size(); ++f) ASSERT_EQ(again[f].rate, flows[f].rate);
    }
}

TEST(Sharing, of_links) {
    Machine m = synthetic_machine("gpu:2(mem=1GB,d=1T) pcie:10GB/s(shared=2)");
    const LinkId first = find_link(m, 0, 1), second = find_link(m, 0, 2);
    const LinkId one[] = {first}, two[] = {first, second};
    EXPECT_DOUBLE_EQ(aggregate_bandwidth(m, one), 10e9);
    EXPECT_DOUBLE_EQ(aggregate_bandwidth(m, two), 10e9);
    EXPECT_EQ(aggregate_bandwidth(m, {}), 0);
}

}  // namespace
}  // namespace gemmill::test
