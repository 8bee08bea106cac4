// SPDX-License-Identifier: Apache-2.0
// Steps that touch blocks of buffers: each block is followed on its own.
#include <gtest/gtest.h>

#include "plan/block_plan.hpp"
#include "plan/check/damage.hpp"
#include "plan/check/happens.hpp"
#include "support/any_order.hpp"
#include "support/edit.hpp"
#include "support/goal_case.hpp"

namespace gemmill::test {
namespace {

using namespace block_plan_tiles;

TileId add_tile(Plan& plan, const Tile& tile) {
    plan.tiles.push_back(tile);
    return static_cast<TileId>(plan.tiles.size() - 1);
}

/// Lets a move or an add take another tile.
void move_tile(Plan& plan, StepId id, const Tile& tile) {
    Step& step = plan.steps[static_cast<std::size_t>(id)];
    step.in[0].tile = step.out.tile = add_tile(plan, tile);
}

void drop(Plan& plan, StepId id) {
    drop_step(plan, id);
    live_long(plan);
}

/// Does a step again after all others.
void repeat(Plan& plan, StepId id) {
    plan.steps.push_back(plan.steps[static_cast<std::size_t>(id)]);
    live_long(plan);
}

/// Leaves a step the first of its waits, or none.
void cut_waits(Plan& plan, StepId id, int left) {
    plan.steps[static_cast<std::size_t>(id)].wait_count = left;
}

/// A fetch of the front of C at the end, from home or a buffer, into a new buffer.
void fetch_front(Plan& plan, BufferId from) {
    plan.buffers.push_back({1, c_front, 2048, 384, 8, -1, -1});
    const auto to = static_cast<BufferId>(plan.buffers.size() - 1);
    QueueId queue = 2;
    if (from != Ref::home) {
        plan.machine.links.push_back({1, 1, 1e11, 0, 0, {}, ""});
        plan.queues.push_back({QueueKind::transfer, 5});
        queue = 5;
    }
    const auto last = static_cast<StepId>(plan.steps.size() - 1);
    Step step = move_step(plan, Opcode::fetch, {c_front, from}, {c_front, to});
    step.queue = queue;
    append(plan, step, {last});
    live_long(plan);
}

const Damage damages[] = {
    // structure
    {"block beside its buffer", "of another tile", [](Plan& p) { p.steps[12].out.tile = c_rest; }},
    {"block larger than its buffer", "of another tile",
     [](Plan& p) { p.steps[10].in[0].tile = p.steps[10].out.tile = c; }},
    {"one block moved into another", "one tile into another",
     [](Plan& p) { p.steps[12].in[0].tile = c_strip0; }},
    {"one strip added to another", "two places of one tile",
     [](Plan& p) { p.steps[10].in[0].tile = c_strip1; }},
    // races
    {"block read before it came", "steps 2 and 6 race", [](Plan& p) { cut_waits(p, 6, 0); }},
    {"whole read before a block came", "steps 1 and 9 race", [](Plan& p) { cut_waits(p, 9, 1); }},
    {"strip read while it grows", "steps 6 and 13 race",
     [](Plan& p) {
         p.steps[13].wait_begin += 1;
         cut_waits(p, 13, 1);
     }},
    {"strip fetched while a column grows", "steps 6 and 8 race",
     [](Plan& p) {
         move_tile(p, 8, {operand::C, 0, 5, 8, 3});
     }},
    {"strip written while it grows", "steps 13 and 14 race", [](Plan& p) { cut_waits(p, 14, 0); }},
    {"strip changed while it is written", "steps 11 and 16 race", [](Plan& p) { repeat(p, 10); }},
    {"strip written before it was read", "steps 12 and 14 race",
     [](Plan& p) { cut_waits(p, 13, 1); }},
    {"C read while a strip is written", "steps 14 and 16 race",
     [](Plan& p) {
         fetch_front(p, Ref::home);
         cut_waits(p, 16, 0);
     }},
    // sums
    {"block not fetched", "an input has not arrived", [](Plan& p) { drop(p, 2); }},
    {"columns of a block not fetched", "an input has not arrived",
     [](Plan& p) {
         move_tile(p, 2, {operand::A, 4, 4, 4, 3});
     }},
    {"rows of a block not fetched", "an input has not arrived",
     [](Plan& p) {
         move_tile(p, 1, {operand::A, 0, 4, 3, 4});
     }},
    {"block fetched twice", "the same part twice", [](Plan& p) { repeat(p, 1); }},
    {"part of a block fetched twice", "the same part twice",
     [](Plan& p) {
         move_tile(p, 2, {operand::A, 3, 4, 5, 4});
     }},
    {"strip fetched over a sum", "over a sum", [](Plan& p) { repeat(p, 8); }},
    {"strip not fetched", "scales a tile of the target that has not arrived",
     [](Plan& p) { drop(p, 8); }},
    {"k missing in one strip", "lacks a part of a term",
     [](Plan& p) {
         p.steps[6].out.tile = c_strip0;
         p.steps[6].in[1].tile = add_tile(p, {operand::B, 4, 0, 4, 4});
     }},
    {"k twice in one strip", "adds a part of a term twice",
     [](Plan& p) {
         repeat(p, 6);
         p.steps.back().out.tile = c_strip1;
         p.steps.back().in[1].tile = add_tile(p, {operand::B, 4, 4, 4, 2});
     }},
    {"beta C missing in one strip", "old value is missing", [](Plan& p) { drop(p, 13); }},
    {"beta C late for one strip", "adds what is no partial sum", [](Plan& p) { drop(p, 12); }},
    {"beta C twice in one strip", "adds the old value twice", [](Plan& p) { repeat(p, 13); }},
    {"beta C twice in one column", "adds the old value twice",
     [](Plan& p) {
         move_tile(p, 12, {operand::C, 0, 3, 8, 3});
         move_tile(p, 13, {operand::C, 0, 3, 8, 3});
     }},
    {"different sums fetched as one", "not one sum",
     [](Plan& p) {
         drop(p, 13);
         fetch_front(p, 2);
     }},
    {"sum fetched over a strip", "in use",
     [](Plan& p) {
         fetch_front(p, 2);
         p.steps.back().out.buffer = 3;
     }},
    {"strip never written", "C[0:8,4:6] is written 0 times: the writes do not cover it",
     [](Plan& p) { drop(p, 14); }},
    {"column never written", "C[0:8,5:6] is written 0 times: the writes do not cover it",
     [](Plan& p) {
         move_tile(p, 14, {operand::C, 0, 4, 8, 1});
     }},
    {"strip written twice", "C[0:8,0:4] is written 2 times", [](Plan& p) { repeat(p, 11); }},
    {"strips overlap", "C[0:8,3:4] is written 2 times",
     [](Plan& p) {
         move_tile(p, 14, {operand::C, 0, 3, 8, 3});
     }},
    {"C read after one strip was written", "reads a tile of the target that was written",
     [](Plan& p) { fetch_front(p, Ref::home); }},
};

TEST(Blocks, the_plan_by_hand_is_valid_and_right) {
    const Plan plan = block_plan();
    const auto faults = validate(plan);
    ASSERT_TRUE(faults.empty()) << faults.front();
    Random random(3);
    GoalCase x(plan, random);
    for (int order = 0; order < 100; ++order) ASSERT_TRUE(right_in_any_order(plan, x, random));
}

TEST(Blocks, all_damage_is_found_and_named) { expect_found(block_plan(), damages); }

TEST(Blocks, every_step_is_needed) {
    const Plan plan = block_plan();
    for (StepId gone = 0; gone < std::ssize(plan.steps); ++gone) {
        Plan less = plan;
        drop(less, gone);
        EXPECT_FALSE(validate(less).empty()) << "without step " << gone;
    }
}

/// The plan is valid although these touch one buffer at once, or the user's C.
TEST(Blocks, blocks_that_do_not_overlap_need_no_order) {
    const Plan plan = block_plan();
    const HappensBefore before(plan);
    for (const auto& [x, y] : {std::pair{0, 1}, {5, 8}, {6, 9}, {10, 13}, {11, 12}, {8, 11}})
        EXPECT_FALSE(before(x, y)) << x << " and " << y;
}

/// A sum may travel in pieces: each is followed.
TEST(Blocks, a_sum_in_pieces_is_followed) {
    Plan plan = block_plan();
    fetch_front(plan, 2);
    plan.steps.back().pieces = 2;
    append(plan, plan.steps.back(), {15});
    plan.steps.back().piece = 1;
    live_long(plan);
    EXPECT_TRUE(validate(plan).empty());
    plan.steps.back().piece = 0;
    EXPECT_FALSE(validate(plan).empty());
}

/// Where every step has edges of its own there are too many cells to follow, and no crash.
TEST(Blocks, too_many_cells_are_refused) {
    constexpr index_t size = 6000;
    Plan plan = block_plan();
    const Problem problem = gemm_problem(size, size, 8);
    describe(problem, plan);
    plan.machine.memories[1].capacity = plan.limit[1] = plan.slab[1] = 8 * size * size;
    plan.tiles = {{operand::C, 0, 0, size, size}};
    plan.buffers = {{1, 0, 0, 8 * size * size, size, 0, size}};
    plan.steps.clear();
    for (index_t i = 0; i < size; ++i)
        append(plan,
               compute_step(plan, problem, 0, {add_tile(plan, {operand::C, i, i, 1, 1}), 0},
                            Keep::zero),
               {});
    const auto faults = validate(plan);
    ASSERT_EQ(faults.size(), 1U);
    EXPECT_NE(faults[0].find("too many"), std::string::npos) << faults[0];
}

}  // namespace
}  // namespace gemmill::test
