// SPDX-License-Identifier: Apache-2.0
// symm and hemm with A filled up on the device and any room for lines: valid, right, and every
// element crosses once.
#include "planner/shape/resident/mirrored.hpp"

#include <gtest/gtest.h>

#include "gemmill/error.hpp"
#include "plan/build/builder.hpp"
#include "planner/split/fit.hpp"
#include "support/any_order.hpp"
#include "support/frame.hpp"
#include "support/level3_case.hpp"
#include "support/machines.hpp"

namespace gemmill::test {
namespace {

Plan made(const Problem& p, const Choice& choice, std::int64_t cap) {
    Draft plan = frame_of_one(two_gpus(), p, cap);
    plan_mirrored(plan, choice);
    return plan;
}

/// A place is taken by one line after the other.
bool takes_turns(const Plan& plan) {
    for (const Buffer& a : plan.buffers)
        for (const Buffer& b : plan.buffers)
            if (&a != &b && a.memory == b.memory && a.offset == b.offset) return true;
    return false;
}

TEST(Level3Mirrored, with_little_memory_are_right_in_any_order) {
    Random random(1);
    int made_ones = 0, short_ones = 0;
    for (int i = 0; i < affordable(4000) && !HasFailure(); ++i) {
        const Routine routine = random.chance(50) ? Routine::symm : Routine::hemm;
        const Problem p = random_level3(random, routine, 24, std::ssize(two_gpus().memories));
        if (!is_read(p, operand::A)) continue;
        Choice choice;
        choice.devices = {0};
        choice.cut = {random.between(1, 9), random.between(1, 9), random.chance(50)};
        choice.outer = random.real();
        choice.late = random.chance(50);
        Plan plan;
        try {
            const std::int64_t a = slot_bytes(p.k, p.k, p.type, 1);
            plan = made(p, choice, a + 256 * random.between(2, 40));
        } catch (const Error& error) {
            ASSERT_EQ(error.code(), Code::out_of_memory) << error.what();
            continue;
        }
        ++made_ones;
        short_ones += takes_turns(plan);
        const auto faults = validate(plan);
        ASSERT_TRUE(faults.empty()) << faults.front() << "\n" << describe(p) << to_text(plan);
        const double want = flops_of(p);
        EXPECT_NEAR(statistics(plan).flops, want, 1e-9 * want) << describe(p);
        Level3Operands x(p, random);
        ASSERT_TRUE(right_in_any_order(plan, x, random)) << describe(p) << "\n" << to_text(plan);
    }
    EXPECT_GT(made_ones, affordable(4000) / 4);
    EXPECT_GT(short_ones, made_ones / 10) << "lines never took turns";
}

Problem square(index_t n) {
    Problem p;
    p.routine = Routine::symm;
    p.m = p.n = p.k = n;
    p.alpha = p.beta = Factor::general;
    return p;
}

TEST(Level3Mirrored, everything_comes_once_with_any_memory) {
    const index_t n = 512, part = 64;
    const Problem p = square(n);
    Choice choice;
    choice.devices = {0};
    choice.cut = {part, part};
    choice.late = true;
    const std::int64_t line = 8 * n * part, all = 8 * n * n;
    const std::int64_t stored = 8 * part * part * (8 * 9 / 2);
    // All lines, and three with two places for C, beside A.
    for (const std::int64_t cap : {4 * all, all + 8 * line}) {
        const Plan plan = made(p, choice, cap);
        EXPECT_TRUE(validate(plan).empty()) << validate(plan).front();
        EXPECT_LE(plan.slab[1], cap);
        EXPECT_EQ(takes_turns(plan), cap < 4 * all);
        const auto read = statistics(plan).read;
        EXPECT_EQ(read[0], stored);
        EXPECT_EQ(read[1], all);
        EXPECT_EQ(read[2], all);
    }
}

TEST(Level3Mirrored, lines_are_made_thinner_until_two_fit) {
    const Problem p = square(512);
    Choice choice;
    choice.devices = {0};
    choice.cut = {128, 512};
    const std::int64_t a = 8 * 512 * 512;
    const Plan plan = made(p, choice, a + (1 << 20));
    EXPECT_TRUE(validate(plan).empty());
    EXPECT_LE(plan.slab[1], a + (1 << 20));
    EXPECT_THROW(made(p, choice, a), Error);
    choice.fixed_tile = true;
    EXPECT_THROW(made(p, choice, a + (1 << 20)), Error);
}

}  // namespace
}  // namespace gemmill::test
