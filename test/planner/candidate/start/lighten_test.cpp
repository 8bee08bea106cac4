// SPDX-License-Identifier: Apache-2.0
#include "planner/candidate/start/lighten.hpp"

#include <gtest/gtest.h>

#include "base/routine.hpp"
#include "planner/candidate/rough.hpp"
#include "planner/candidate/start/starts.hpp"
#include "support/frame.hpp"

namespace gemmill::test {
namespace {

Draft frame_with(Routine routine) {
    Problem p = problem_of(16384, 16384, {0, 0, 0});
    p.routine = routine;
    return frame_of(load_machine("hgx-a100-8"), p);
}

TEST(Lighten, plans_of_named_policies_become_affordable) {
    for (const Routine routine : {Routine::gemm, Routine::syrk, Routine::symm, Routine::syr2k}) {
        const Draft frame = frame_with(routine);
        for (Candidate c : named_on(frame, start_for(frame), frame.devices)) {
            lighten(frame, c, 300);
            EXPECT_LE(rough_steps(frame, c), 300) << c.policy.name;
        }
    }
}

/// Fewer pieces of a chained fetch cost less than larger tiles.
TEST(Lighten, pieces_go_before_tiles) {
    const Draft frame = frame_with(Routine::gemm);
    for (Candidate c : named_on(frame, start_for(frame), frame.devices)) {
        if (!c.policy.chain) continue;
        lighten(frame, c, 0.9 * rough_steps(frame, c));
        EXPECT_EQ(c.policy.pieces, 4);
        EXPECT_EQ(c.choice.tile.m, 0);
    }
}

/// What enters over few links would take longer to come.
TEST(Lighten, pieces_of_what_all_devices_hold_stay) {
    for (const Routine routine : {Routine::syrk, Routine::symm, Routine::trsm}) {
        const Draft frame = frame_with(routine);
        Candidate c = shared_starts(frame, start_for(frame), 1e9).front();
        const int pieces = c.policy.pieces;
        lighten(frame, c, 0.4 * rough_steps(frame, c));
        EXPECT_EQ(c.policy.pieces, pieces);
        lighten(frame, c, 300);
        EXPECT_LE(rough_steps(frame, c), 300) << name_of(routine);
    }
}

TEST(Lighten, what_is_light_enough_or_chosen_stays) {
    const Draft frame = frame_with(Routine::syrk);
    for (Candidate c : named_on(frame, start_for(frame), frame.devices)) {
        const Candidate before = c;
        lighten(frame, c, 1e9);
        EXPECT_EQ(c, before);
        c.choice.fixed_tile = true;
        const Candidate chosen = c;
        lighten(frame, c, 10);
        EXPECT_EQ(c, chosen);
    }
}

}  // namespace
}  // namespace gemmill::test
