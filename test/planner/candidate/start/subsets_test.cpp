// SPDX-License-Identifier: Apache-2.0
#include "planner/candidate/start/subsets.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "support/frame.hpp"

namespace gemmill::test {
namespace {

Draft frame_for(const char* machine, index_t m, index_t k, std::array<MemoryId, 3> home) {
    return frame_of(load_machine(machine), problem_of(m, k, home));
}

TEST(Subsets, devices_with_operands_are_picked_first) {
    const Draft frame = frame_for("hgx-a100-8", 4096, 4096, {0, 0, 6});
    EXPECT_EQ(pick_devices(frame, 1), std::vector<DeviceId>{5});
    // Then those behind other switches.
    std::set<DeviceId> switches;
    for (const DeviceId d : pick_devices(frame, 4)) switches.insert(d / 2);
    EXPECT_EQ(switches.size(), 4U);
}

TEST(Subsets, have_each_number_of_devices) {
    for (int devices = 1; devices <= 16; ++devices) {
        const std::string line = "gpu:" + std::to_string(devices) + "(d=1T) pcie:10GB/s";
        const Draft frame = frame_of(synthetic_machine(line), problem_of(100, 100, {0, 0, 0}));
        std::map<std::size_t, int> halves, others;
        for (const auto& some : halves_of(frame)) ++halves[some.size()];
        for (const auto& some : others_than_halves(frame)) {
            ++others[some.size()];
            EXPECT_TRUE(std::ranges::is_sorted(some));
        }
        for (std::size_t count = 1; count < frame.devices.size(); ++count)
            EXPECT_EQ(halves.contains(count) + others.contains(count), 1) << count;
        EXPECT_FALSE(others.contains(1));
        EXPECT_FALSE(halves.contains(frame.devices.size()));
    }
}

/// Three GPUs share a switch: one behind each gets all that the host's links carry.
TEST(Subsets, one_device_behind_each_switch_is_among_the_halves) {
    const Draft frame = frame_of(synthetic_machine("gpu:14(d=1T) pcie:10GB/s(shared=3)"),
                                 problem_of(100, 100, {0, 0, 0}));
    const auto halves = halves_of(frame);
    EXPECT_NE(std::ranges::find(halves, std::vector<DeviceId>{0, 3, 6, 9, 12}), halves.end());
}

}  // namespace
}  // namespace gemmill::test
