// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <vector>

#include "planner/candidate/beside.hpp"
#include "planner/candidate/move/moves.hpp"
#include "support/frame.hpp"

namespace gemmill::test {
namespace {

/// Lines that moves give the CPU, which has so many.
std::vector<index_t> lines_after(const Draft& frame, index_t lines) {
    Candidate from = start_for(frame);
    from.choice.beside.lines = lines;
    std::vector<Move> moves;
    add_beside_moves(frame, from.choice, moves);
    std::vector<index_t> all;
    for (const Move& move : moves)
        if (Candidate next = from; move(next)) all.push_back(next.choice.beside.lines);
    return all;
}

Draft frame() { return frame_of(load_machine("hgx-a100-8"), problem_of(8192, 8192, {0, 0, 0})); }

TEST(BesideMoves, are_a_tenth_and_a_block_each_way) {
    const Draft x = frame();
    const index_t block = whole_lines(x, start_for(x).choice, 5120);
    const index_t tenth = 512 / block * block;
    EXPECT_EQ(lines_after(x, 5120),
              (std::vector<index_t>{5120 - tenth, 5120 + tenth, 5120 - block, 5120 + block}));
}

TEST(BesideMoves, leave_the_cpu_and_the_others_something) {
    const Draft x = frame();
    EXPECT_TRUE(lines_after(x, 0).empty());
    for (const index_t lines : {index_t{32}, x.problem.n - 32})
        for (const index_t next : lines_after(x, lines)) {
            EXPECT_GT(next, 0);
            EXPECT_LT(next, x.problem.n);
        }
}

}  // namespace
}  // namespace gemmill::test
