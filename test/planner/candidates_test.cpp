// SPDX-License-Identifier: Apache-2.0
#include "planner/candidates.hpp"

#include <gtest/gtest.h>

#include <set>

#include "support/frame.hpp"

namespace gemmill::test {
namespace {

Draft frame_for(const char* machine, index_t m, index_t k, std::array<MemoryId, 3> home) {
    return frame_of(load_machine(machine), problem_of(m, k, home));
}

TEST(Candidates, strips_are_for_what_has_to_move) {
    const Draft one = frame_for("h200", 4096, 4096, {1, 1, 1});
    EXPECT_TRUE(coarse_strips(one, start_for(one)).empty());
    const Draft host = frame_for("h200", 4096, 4096, {0, 0, 0});
    EXPECT_FALSE(coarse_strips(host, start_for(host)).empty());
    Candidate tiled = start_for(host);
    tiled.choice.fixed_tile = true;
    EXPECT_TRUE(coarse_strips(host, tiled).empty());
}

TEST(Candidates, devices_with_operands_are_picked_first) {
    const Draft frame = frame_for("hgx-a100-8", 4096, 4096, {0, 0, 6});
    EXPECT_EQ(pick_devices(frame, 1), std::vector<DeviceId>{5});
    // Then those behind other switches.
    std::set<DeviceId> switches;
    for (const DeviceId d : pick_devices(frame, 4)) switches.insert(d / 2);
    EXPECT_EQ(switches.size(), 4U);
}

}  // namespace
}  // namespace gemmill::test
