// SPDX-License-Identifier: Apache-2.0
#include "planner/candidates.hpp"

#include <gtest/gtest.h>

#include <set>

#include "support/frame.hpp"

namespace gemmill::test {
namespace {

Plan frame_for(const char* machine, index_t m, index_t k, std::array<MemoryId, 3> home) {
    return frame_of(load_machine(machine), problem_of(m, k, home));
}

TEST(Candidates, a_move_that_says_so_changes_something) {
    for (const auto home : {std::array<MemoryId, 3>{0, 0, 0}, std::array<MemoryId, 3>{5, 3, 8}}) {
        const Plan frame = frame_for("hgx-a100-8", 8192, 8192, home);
        for (const Candidate& c : coarse_strips(frame, start_for(frame)))
            for (const Move& move : moves_for(frame, c)) {
                Candidate next = c;
                const bool changed = move(next);
                EXPECT_EQ(changed, describe(frame, next) != describe(frame, c))
                    << describe(frame, c);
            }
    }
}

TEST(Candidates, strips_are_for_what_has_to_move) {
    const Plan one = frame_for("h200", 4096, 4096, {1, 1, 1});
    EXPECT_TRUE(coarse_strips(one, start_for(one)).empty());
    const Plan host = frame_for("h200", 4096, 4096, {0, 0, 0});
    EXPECT_FALSE(coarse_strips(host, start_for(host)).empty());
    Candidate tiled = start_for(host);
    tiled.choice.fixed_tile = true;
    EXPECT_TRUE(coarse_strips(host, tiled).empty());
}

TEST(Candidates, devices_with_operands_are_picked_first) {
    const Plan frame = frame_for("hgx-a100-8", 4096, 4096, {0, 0, 6});
    EXPECT_EQ(pick_devices(frame, 1), std::vector<DeviceId>{5});
    // Then those behind other switches.
    std::set<DeviceId> switches;
    for (const DeviceId d : pick_devices(frame, 4)) switches.insert(d / 2);
    EXPECT_EQ(switches.size(), 4U);
}

}  // namespace
}  // namespace gemmill::test
