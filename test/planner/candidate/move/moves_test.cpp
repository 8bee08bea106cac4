// SPDX-License-Identifier: Apache-2.0
#include "planner/candidate/move/moves.hpp"

#include <gtest/gtest.h>

#include "planner/candidate/describe.hpp"
#include "support/frame.hpp"

namespace gemmill::test {
namespace {

TEST(Moves, one_that_says_so_changes_something) {
    const Machine machine = load_machine("hgx-a100-8");
    for (const auto home : {std::array<MemoryId, 3>{0, 0, 0}, std::array<MemoryId, 3>{5, 3, 8}}) {
        const Draft frame = frame_of(machine, problem_of(8192, 8192, home));
        for (const Candidate& c : strips_for(frame))
            for (const Move& move : moves_for(frame, c)) {
                Candidate next = c;
                const bool changed = move(next);
                EXPECT_EQ(changed, next != c) << describe(frame, c);
            }
    }
}

}  // namespace
}  // namespace gemmill::test
