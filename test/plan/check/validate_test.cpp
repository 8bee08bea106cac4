// SPDX-License-Identifier: Apache-2.0
// Damage that always harms is always found, and is named.
#include <gtest/gtest.h>

#include <algorithm>

#include "plan/check/damage.hpp"
#include "plan/sample.hpp"
#include "support/edit.hpp"
#include "support/rich_plan.hpp"

namespace gemmill::test {
namespace {

StepId find_step(const Plan& plan, Opcode op) {
    const auto step = std::ranges::find(plan.steps, op, &Step::op);
    return static_cast<StepId>(step - plan.steps.begin());
}
Step& step_of(Plan& plan, Opcode op) {
    return plan.steps[static_cast<std::size_t>(find_step(plan, op))];
}

/// Makes a step a copy of itself at the end.
void repeat(Plan& plan, Opcode op) {
    plan.steps.push_back(step_of(plan, op));
    live_long(plan);
}

void without_waits(Plan& plan, Opcode op) { step_of(plan, op).wait_count = 0; }

using enum Opcode;
const Damage damages[] = {
    // structure
    {"negative size", "negative", [](Plan& p) { p.operands[2].rows = -1; }},
    {"home nowhere", "is no memory", [](Plan& p) { p.operands[2].home = 9; }},
    {"too large", "too large",
     [](Plan& p) { p.operands[2].rows = p.operands[2].cols = index_t{1} << 62; }},
    {"no such target", "no such target", [](Plan& p) { p.goal.target = 3; }},
    {"no such factor", "no such operand", [](Plan& p) { p.goal.terms[0].second = -1; }},
    {"factors that do not fit", "do not fit together", [](Plan& p) { p.operands[0].cols = 127; }},
    {"a triangle that is not square", "not square",
     [](Plan& p) { p.operands[0].triangle = Triangle::lower, p.operands[0].rows = 127; }},
    {"half of which matrix", "which triangle",
     [](Plan& p) { p.operands[0].structure = Structure::symmetric; }},
    {"two types", "another type", [](Plan& p) { p.operands[1].type = Type::s; }},
    {"solves with nothing", "goal: ", [](Plan& p) { p.goal.solves = true; }},
    {"policy", "'\\x1b[31m' is no name", [](Plan& p) { p.policy = "\x1b[31m"; }},
    {"long policy", "is no name", [](Plan& p) { p.policy.assign(1000, 'x'); }},
    {"no such device", "device 7", [](Plan& p) { p.devices.push_back(7); }},
    {"slab too short", "slab", [](Plan& p) { p.slab[1] = 100; }},
    {"slab over limit", "allowed", [](Plan& p) { p.slab[1] = p.limit[1] + 1; }},
    {"limit over capacity", "allows", [](Plan& p) { p.limit[1] = std::int64_t{1} << 50; }},
    {"no limits", "one entry a memory", [](Plan& p) { p.limit.clear(); }},
    {"tile outside", "operand", [](Plan& p) { p.tiles[0].row = 1; }},
    {"empty tile", "operand", [](Plan& p) { p.tiles[0].cols = 0; }},
    {"queue of no link", "no such link", [](Plan& p) { p.queues[2].index = 99; }},
    {"queue of another device", "not one of the plan's", [](Plan& p) { p.devices = {0}; }},
    {"buffer of no memory", "no such memory", [](Plan& p) { p.buffers[0].memory = 5; }},
    {"buffer before its slab", "slab", [](Plan& p) { p.buffers[0].offset = -8; }},
    {"buffer between elements", "element", [](Plan& p) { p.buffers[0].offset += 4; }},
    {"buffer too small", "too small", [](Plan& p) { p.buffers[0].bytes -= 8; }},
    {"ld too small", "too small", [](Plan& p) { --p.buffers[0].ld; }},
    {"ld too large", "too small", [](Plan& p) { ++p.buffers[0].ld; }},
    {"life too short", "outside its life", [](Plan& p) { --p.buffers[0].last; }},
    {"life too late", "outside its life", [](Plan& p) { ++p.buffers[0].first; }},
    {"no such queue", "no such queue", [](Plan& p) { p.steps[0].queue = 70; }},
    {"waits outside", "not in the list", [](Plan& p) { p.steps[3].wait_count = 1000; }},
    {"wait for itself", "not before it", [](Plan& p) { p.waits[0] = 2; }},
    {"wait for a later step", "not before it", [](Plan& p) { p.waits[0] = 9; }},
    {"no such tile", "no such tile", [](Plan& p) { p.steps[0].out.tile = 50; }},
    {"another tile's buffer", "of another tile", [](Plan& p) { p.steps[0].out.buffer = 1; }},
    {"kernel on a link", "other kind", [](Plan& p) { step_of(p, gemm).queue = 2; }},
    {"wrong link", "link does not join", [](Plan& p) { p.steps[0].queue = 4; }},
    {"piece of nothing", "piece", [](Plan& p) { p.steps[0].piece = 2; }},
    {"fetch into C", "user's memory", [](Plan& p) { p.steps[0].out.buffer = Ref::home; }},
    {"write from home", "from a buffer",
     [](Plan& p) { step_of(p, write).in[0].buffer = Ref::home; }},
    {"wrong device", "not in the device's memory", [](Plan& p) { step_of(p, gemm).queue = 1; }},
    {"product without B", "no such tile", [](Plan& p) { step_of(p, gemm).in[1] = {}; }},
    {"B and A", "no part of the goal",
     [](Plan& p) { std::swap(step_of(p, gemm).in[0], step_of(p, gemm).in[1]); }},
    {"flipped op", "no part of the goal", [](Plan& p) { p.goal.terms[0].op_first = Op::Trans; }},
    {"another weight", "no part of the goal",
     [](Plan& p) { step_of(p, gemm).weight = Scale::one; }},
    {"no such opcode", "no such opcode",
     [](Plan& p) { p.steps[0].op = static_cast<Opcode>(opcode_count); }},
    {"a fetch with a side", "does not take", [](Plan& p) { p.steps[0].side = Side::Right; }},
    {"a fetch with a weight", "does not take", [](Plan& p) { p.steps[0].weight = Scale::alpha; }},
    {"a scale with an input", "too many inputs", [](Plan& p) { step_of(p, gemm).op = scale; }},
    {"A must not be read", "must not", [](Plan& p) { p.goal.terms.clear(); }},
    {"C must not be read", "must not", [](Plan& p) { p.goal.keep = Scale::zero; }},
    // races
    {"compute at once", "race", [](Plan& p) { without_waits(p, gemm); }},
    {"add at once", "race", [](Plan& p) { without_waits(p, add); }},
    {"write at once", "race", [](Plan& p) { without_waits(p, write); }},
    {"chain without waits", "race", [](Plan& p) { p.steps[2].wait_count = 0; }},
    {"buffers in one place", "takes the place", [](Plan& p) { p.buffers[1].offset = 0; }},
    // sums
    {"piece never fetched", "not", [](Plan& p) { p.steps[1].piece = 0; }},
    {"k missing", "lacks a part of a term", [](Plan& p) { p.steps[13].keep = Scale::zero; }},
    {"k twice", "twice",
     [](Plan& p) {
         p.steps[13].in = p.steps[7].in;
         live_long(p);
     }},
    {"beta C missing", "old value is missing", [](Plan& p) { p.steps[7].keep = Scale::zero; }},
    {"beta C twice", "twice",
     [](Plan& p) {
         p.steps[14].keep = Scale::one;
         repeat(p, add);
     }},
    {"sum of nothing", "no sum", [](Plan& p) { p.steps[8].keep = Scale::one; }},
    {"C not covered", "do not cover",
     [](Plan& p) { p.operands[1].cols += 1, p.operands[2].cols += 1; }},
    {"C covered twice", "C[0:128,32:64] is written 2 times",
     [](Plan& p) {
         repeat(p, write);
         p.tiles.push_back({operand::C, 0, 32, 128, 32});
         p.steps.back().out.tile = p.steps.back().in[0].tile = 8;
     }},
    {"never written", "written 0 times", [](Plan& p) { p.steps.pop_back(); }},
    {"written twice", "written 2 times", [](Plan& p) { repeat(p, write); }},
};

TEST(Validate, the_plan_by_hand_is_valid) {
    const auto faults = validate(sample_plan());
    EXPECT_TRUE(faults.empty()) << faults.front();
}

TEST(Validate, finds_and_names_all_damage) { expect_found(sample_plan(), damages); }

/// Planned steps are all needed, but for pieces of no columns.
TEST(Validate, a_missing_step_is_always_found) {
    Random random(1);
    for (int i = 0; i < affordable(40); ++i) {
        const Plan plan =
            random.chance(50) ? rich_plan(random) : small_plan(random_machine(random), 8, 3);
        ASSERT_TRUE(validate(plan).empty());
        for (StepId gone = 0; gone < std::ssize(plan.steps); ++gone) {
            Plan less = plan;
            drop_step(less, gone);
            live_long(less);
            if (plan.steps[static_cast<std::size_t>(gone)].op == Opcode::fetch &&
                bytes_moved(plan, plan.steps[static_cast<std::size_t>(gone)]) == 0)
                continue;
            ASSERT_FALSE(validate(less).empty()) << "without step " << gone << to_string(plan);
        }
    }
}

TEST(Validate, an_unsound_machine_is_a_fault) {
    Plan plan = sample_plan();
    plan.machine.devices[0].peak[static_cast<std::size_t>(Type::d)] = 1e-300;
    const auto faults = validate(plan);
    ASSERT_EQ(faults.size(), 1U);
    EXPECT_EQ(faults[0], "machine: device 'gpu0': peak d is 1e-300, expected 1 to 1e+24");
}

/// Who comes before whom takes a number for each step and queue.
TEST(Validate, steps_on_too_many_queues_are_refused_without_memory_for_them) {
    Plan plan = sample_plan();
    plan.queues.resize(40'000, plan.queues.front());
    plan.steps.resize(40'000, plan.steps.back());
    live_long(plan);
    const auto faults = validate(plan);
    ASSERT_EQ(faults.size(), 1U);
    EXPECT_EQ(faults[0], "40000 steps on 40000 queues are too many");
}

/// A buffer in many cells that many steps touch all of.
TEST(Validate, cells_that_are_touched_too_often_are_refused) {
    constexpr index_t edge = 4096;
    Plan plan = sample_plan();
    for (Operand& operand : plan.operands) operand.rows = operand.cols = edge;
    for (Memory& memory : plan.machine.memories) memory.capacity = std::int64_t{1} << 40;
    plan.limit.assign(3, std::int64_t{1} << 40);
    plan.slab.assign(3, std::int64_t{1} << 40);
    plan.tiles = {{operand::A, 0, 0, edge, edge}};
    plan.buffers = {{1, 0, 0, edge * edge * 8, edge, 0, 2 * edge}};
    plan.steps.clear(), plan.waits.clear();
    const auto fetch = [&](TileId tile) {
        Step step;
        step.op = Opcode::fetch, step.queue = 2;
        step.out = {tile, 0}, step.in[0] = {tile, Ref::home};
        append(plan, step, {});
    };
    for (index_t i = 0; i < edge; ++i) {
        plan.tiles.push_back({operand::A, i, i, 1, 1});
        fetch(static_cast<TileId>(plan.tiles.size() - 1));
    }
    for (index_t i = 0; i < 200; ++i) fetch(0);
    const auto faults = validate(plan);
    ASSERT_EQ(faults.size(), 1U) << faults.front();
    EXPECT_EQ(faults[0], "steps touch more than 2147483648 parts of buffers and the target");
}

TEST(Validate, says_only_the_first_faults) {
    Plan plan = sample_plan();
    for (Buffer& buffer : plan.buffers) buffer.bytes = 1;
    for (int i = 0; i < 100; ++i) plan.buffers.push_back(plan.buffers[0]);
    EXPECT_LE(validate(plan).size(), 20U);
    EXPECT_FALSE(validate(Plan{}).empty());
}

}  // namespace
}  // namespace gemmill::test
