// SPDX-License-Identifier: Apache-2.0
#include "planner/candidate/start/starts.hpp"

#include <gtest/gtest.h>

#include "planner/candidate/rough.hpp"
#include "support/frame.hpp"
#include "task/problem.hpp"

namespace gemmill::test {
namespace {

Draft frame_for(const char* machine, index_t m, index_t k, std::array<MemoryId, 3> home) {
    return frame_of(load_machine(machine), problem_of(m, k, home));
}

TEST(Starts, strips_are_for_what_has_to_move) {
    const Draft one = frame_for("h200", 4096, 4096, {1, 1, 1});
    EXPECT_TRUE(coarse_strips(one, start_for(one)).empty());
    const Draft host = frame_for("h200", 4096, 4096, {0, 0, 0});
    EXPECT_FALSE(coarse_strips(host, start_for(host)).empty());
    Candidate tiled = start_for(host);
    tiled.choice.fixed_tile = true;
    EXPECT_TRUE(coarse_strips(host, tiled).empty());
}

TEST(Starts, are_cut_so_that_they_can_be_looked_at) {
    const Draft frame = frame_for("hgx-a100-8", 16384, 16384, {0, 0, 0});
    for (const double steps : {400.0, 2000.0}) {
        const Starts starts = starts_on(frame, start_for(frame), frame.devices, steps);
        ASSERT_FALSE(starts.likely.empty());
        for (const Candidate& c : starts.likely)
            EXPECT_TRUE(rough_steps(frame, c) <= 2 * steps || c.choice.strips.panels <= 4);
    }
}

TEST(Starts, every_routine_has_some_on_any_devices) {
    for (const Routine routine : {Routine::syrk, Routine::symm, Routine::trmm, Routine::trsm}) {
        Problem p = problem_of(4096, 4096, {0, 0, 0});
        p.routine = routine;
        if (is_in_place(routine)) p.beta = Factor::zero;
        const Draft frame = frame_of(load_machine("hgx-a100-8"), p);
        for (const std::vector<DeviceId>& devices : {frame.devices, std::vector<DeviceId>{3}}) {
            const Starts starts = starts_on(frame, start_for(frame), devices, 1000);
            ASSERT_FALSE(starts.likely.empty());
            for (const Candidate& c : starts.likely) {
                EXPECT_EQ(c.choice.devices, devices);
                EXPECT_LE(rough_steps(frame, c), 1000);
            }
        }
    }
}

/// All lines in one, A as a whole: what one change after the other does not lead to.
TEST(Starts, one_device_alone_begins_in_several_shapes) {
    Problem p = problem_of(8192, 8192, {0, 0, 0});
    p.routine = Routine::trmm, p.beta = Factor::zero;
    const auto has = [&](const char* machine, const std::vector<DeviceId>& devices, auto shape) {
        const Draft frame = frame_of(load_machine(machine), p);
        const Starts starts = starts_on(frame, start_for(frame), devices, 1e5);
        return std::ranges::any_of(starts.likely,
                                   [&](const Candidate& c) { return shape(c.choice); });
    };
    const auto one_line = [](const Choice& c) {
        return c.tall && c.cut.other == 8192 && c.cut.edge <= 8192 / 8;
    };
    const auto whole_a = [](const Choice& c) {
        return !c.tall && c.cut.edge == 8192 && c.cut.other <= 8192 / 16;
    };
    EXPECT_TRUE(has("h200", {0}, one_line));
    EXPECT_TRUE(has("h200", {0}, whole_a));
    EXPECT_FALSE(has("hgx-a100-8", {0}, one_line)) << "the work is for more devices";
}

TEST(Starts, named_policies_keep_their_own_rules) {
    const Draft frame = frame_for("hgx-a100-8", 4096, 4096, {0, 0, 0});
    const std::vector<Candidate> all = named_on(frame, start_for(frame), {0, 1});
    EXPECT_EQ(all.size(), policies().size() - 1);
    for (const Candidate& c : all) {
        EXPECT_FALSE(c.policy.search);
        EXPECT_EQ(c.choice.tile, TileSize{});
        EXPECT_EQ(c.choice.devices.size(), 2U);
    }
}

}  // namespace
}  // namespace gemmill::test
