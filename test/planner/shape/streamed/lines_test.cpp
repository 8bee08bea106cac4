// SPDX-License-Identifier: Apache-2.0
// Lines of trmm and trsm on one device with any amount of memory: valid, right, and A comes once
// where it has room.
#include "planner/shape/streamed/lines.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "planner/planner.hpp"
#include "support/any_order.hpp"
#include "support/frame.hpp"
#include "support/level3_case.hpp"
#include "support/machines.hpp"

namespace gemmill::test {
namespace {

Plan made(const Problem& p, const Choice& choice, std::int64_t cap) {
    Draft plan = frame_of_one(two_gpus(), p, cap);
    plan_lines(plan, choice);
    return plan;
}

const Tile& tile_of(const Plan& plan, const Step& step) {
    return plan.tiles[static_cast<std::size_t>(step.out.tile)];
}

std::int64_t fetched(const Plan& plan, OperandId operand) {
    std::int64_t bytes = 0;
    for (const Step& step : plan.steps) {
        if (step.op != Opcode::fetch) continue;
        const Tile& t = tile_of(plan, step);
        if (t.operand == operand) bytes += t.rows * t.cols * bytes_of(operand_of(plan, t).type);
    }
    return bytes;
}

TEST(Level3Lines, with_little_memory_are_right_in_any_order) {
    Random random(1);
    int made_ones = 0, again = 0;
    for (int i = 0; i < affordable(5000) && !HasFailure(); ++i) {
        const Routine routine = random.chance(50) ? Routine::trmm : Routine::trsm;
        const Problem p = random_level3(random, routine, 24, std::ssize(two_gpus().memories));
        if (!is_read(p, operand::A)) continue;
        Choice choice;
        choice.devices = {0};
        choice.cut = {random.between(1, 9), random.between(1, 9), random.chance(50),
                      random.chance(50)};
        choice.outer = random.real();
        Plan plan;
        try {
            plan = made(p, choice, 256 * random.between(4, random.chance(50) ? 20 : 60));
        } catch (const Error& error) {
            ASSERT_EQ(error.code(), Code::out_of_memory) << error.what();
            continue;
        }
        ++made_ones;
        std::set<TileId> once;
        for (const Step& step : plan.steps)
            if (step.op == Opcode::fetch && tile_of(plan, step).operand == operand::A &&
                !once.insert(step.out.tile).second) {
                ++again;
                break;
            }
        const auto faults = validate(plan);
        ASSERT_TRUE(faults.empty()) << faults.front() << "\n" << describe(p) << to_text(plan);
        const double want = flops_of(p);
        EXPECT_NEAR(statistics(plan).flops, want, 1e-9 * want) << describe(p);
        Level3Operands x(p, random);
        ASSERT_TRUE(right_in_any_order(plan, x, random)) << describe(p) << "\n" << to_text(plan);
    }
    EXPECT_GT(made_ones, affordable(5000) / 3);
    EXPECT_GT(again, made_ones / 50) << "A never passed again";
}

TEST(Level3Lines, a_comes_once_where_it_has_room_and_else_for_each_take) {
    for (const Routine routine : {Routine::trmm, Routine::trsm}) {
        Problem p;
        p.routine = routine;
        p.m = p.n = p.k = 512;
        p.alpha = Factor::general;
        Choice choice;
        choice.devices = {0};
        choice.cut = {64, 64};
        const std::int64_t panel = 8 * 64 * 64, triangle = panel * (8 * 9 / 2);
        // The triangle, sums of four lines, and some blocks.
        EXPECT_EQ(fetched(made(p, choice, triangle + 40 * panel), operand::A), triangle);
        // Two lines of eight at a time, and four columns of A.
        const Plan again = made(p, choice, (4 * 8 + 2 * (8 + 2)) * panel);
        EXPECT_TRUE(validate(again).empty());
        EXPECT_EQ(fetched(again, operand::A), 4 * triangle);
        EXPECT_EQ(fetched(again, operand::C), 8 * p.n * p.n);
    }
}

TEST(Level3Lines, blocks_are_made_smaller_until_they_fit) {
    Problem p;
    p.routine = Routine::trsm;
    p.m = p.n = p.k = 512;
    Choice choice;
    choice.devices = {0};
    choice.cut = {512, 512};
    const Plan plan = made(p, choice, 1 << 20);
    EXPECT_TRUE(validate(plan).empty());
    EXPECT_LE(plan.slab[1], 1 << 20);
    EXPECT_THROW(made(p, choice, 1 << 16), Error);
    choice.fixed_tile = true;
    EXPECT_THROW(made(p, choice, 1 << 20), Error);
}

/// Columns of 128 KiB: no copy of C crosses the 64 KiB in the middle.
TEST(Level3Lines, blocks_end_at_borders_of_64_kib) {
    for (const Uplo uplo : {Uplo::Lower, Uplo::Upper})
        for (const index_t edge : {1000, 3000, 5000, 16384}) {
            Problem p;
            p.routine = Routine::trmm;
            p.m = p.k = 16384, p.n = 100;
            p.uplo = uplo;
            p.alpha = Factor::general;
            Choice choice;
            choice.devices = {0};
            choice.cut = {edge, 50, 2, 0};
            const Plan plan = made(p, choice, 1000000000);
            const auto faults = validate(plan);
            EXPECT_TRUE(faults.empty()) << faults.front();
            for (const Step& step : plan.steps) {
                if (step.op != Opcode::fetch && step.op != Opcode::write) continue;
                const Tile& t = tile_of(plan, step);
                EXPECT_TRUE(t.operand == operand::A || t.row >= 8192 || t.row + t.rows <= 8192);
            }
        }
}

/// Both ways of going over C short of memory: what passes, and blocks of tiles.
TEST(Level3Lines, bytes_of_blocks_grow_with_the_root_of_what_is_short) {
    Problem p;
    p.routine = Routine::trmm;
    p.m = p.n = p.k = 4096;
    p.alpha = Factor::general;
    const auto inputs = [&](std::int64_t cap) {
        Options options;
        options.device_memory = cap;
        options.tile = 128;
        const Plan plan = make_plan(p, two_gpus(), options);
        EXPECT_TRUE(validate(plan).empty());
        EXPECT_LE(plan.slab[1], cap);
        return static_cast<double>(fetched(plan, operand::A) + fetched(plan, operand::C)) -
               8. * 4096 * 4096;
    };
    // n n n / sqrt(M) elements of A and C beside C once: a quarter of the room, twice those. Lines
    // as a whole would need four times.
    const std::int64_t cap = 8 << 20;
    const double full = 8. * 4096 * 4096 * 4096 / std::sqrt(static_cast<double>(cap) / 8);
    EXPECT_LE(inputs(cap), 1.6 * full);
    EXPECT_LE(inputs(cap / 4), 1.6 * 2 * full);
}

}  // namespace
}  // namespace gemmill::test
