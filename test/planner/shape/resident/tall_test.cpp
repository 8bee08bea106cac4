// SPDX-License-Identifier: Apache-2.0
// Tall plans of every routine are valid and right, with any cut, place of the operands and order.
#include "planner/shape/resident/tall.hpp"

#include <gtest/gtest.h>

#include "backend/sim/sim.hpp"
#include "exec/run.hpp"
#include "support/any_order.hpp"
#include "support/frame.hpp"
#include "support/level3_case.hpp"
#include "support/machines.hpp"

namespace gemmill::test {
namespace {

Choice random_choice(Random& random, index_t largest) {
    Choice choice;
    choice.devices = {0};
    choice.tall = true;
    choice.cut = {random.between(1, largest), random.between(1, largest),
                  static_cast<int>(random.between(0, 3))};
    choice.outer = random.real() / 2 + 0.5;
    choice.late = random.chance(50);
    return choice;
}

void check(const Problem& p, const Choice& choice, Random& random) {
    Draft plan = frame_of_one(two_gpus(), p);
    plan_tall(plan, choice);
    const auto faults = validate(plan);
    ASSERT_TRUE(faults.empty()) << faults.front() << "\n" << describe(p) << "\n" << to_text(plan);
    const double want = flops_of(p);
    EXPECT_NEAR(statistics(plan).flops, want, 1e-9 * want) << describe(p);
    Level3Operands x(p, random);
    ASSERT_TRUE(right_in_any_order(plan, x, random)) << describe(p) << "\n" << to_text(plan);
}

TEST(Level3Tall, small_ones_are_right_in_any_order) {
    Random random(1);
    for (int i = 0; i < affordable(6000) && !HasFailure(); ++i) {
        Problem p = random_level3(random, random.pick(level3_routines), 20,
                                  std::ssize(two_gpus().memories));
        if (!is_read(p, operand::A)) continue;
        check(p, random_choice(random, 9), random);
    }
}

TEST(Level3Tall, tapered_ones_are_right) {
    Random random(2);
    for (const Routine routine : level3_routines)
        for (int i = 0; i < 1 && !HasFailure(); ++i) {
            Problem p = random_level3(random, routine, 20);
            p.alpha = p.beta = Factor::general;
            if (!is_hermitian(routine)) {
                p.type = Type::d;
                p.op_a = p.op_a == Op::ConjTrans ? Op::Trans : p.op_a;
            }
            p.m = p.n = p.k = 390 + random.between(0, 20);
            Choice choice = random_choice(random, 9);
            choice.cut = {512, 512, 2};
            check(p, choice, random);
        }
}

TEST(Level3Tall, what_does_not_fit_is_an_error) {
    Problem p;
    p.routine = Routine::trmm;
    p.m = p.n = p.k = 100;
    Draft plan = frame_of_one(two_gpus(), p);
    plan.limit[1] = 8 * 100 * 100;
    Choice choice;
    choice.devices = {0};
    choice.cut = {50, 50};
    EXPECT_THROW(plan_tall(plan, choice), Error);
}

TEST(Level3Tall, parts_begin_small_where_they_are_tapered) {
    EXPECT_EQ(cut_from_small(4096, 1024, 2).front(), (Part{0, 256}));
    EXPECT_EQ(cut_from_small(4096, 1024, 2)[1], (Part{256, 512}));
    EXPECT_EQ(cut_from_small(4096, 1024, 3).front(), (Part{0, 128}));
    EXPECT_EQ(cut_from_small(4096, 1024, 0).front(), (Part{0, 1024}));
    EXPECT_EQ(from_the_end(cut_from_small(4096, 1024, 2), 4096).front(), (Part{3840, 256}));
    EXPECT_EQ(cut_from_small(4096, 1024, 2).back(), (Part{3328, 768})) << "not what is left";
    EXPECT_EQ(cut_lines(4096, 1024, 2).front(), (Part{0, 256})) << "what is left";
    EXPECT_EQ(cut_lines(4096, 1024, 2).back(), (Part{3840, 256}));
    EXPECT_EQ(cut_equally({10, 100}, 64), (std::vector<Part>{{10, 50}, {60, 50}}));
    EXPECT_EQ(cut_equally({0, 2300}, 1024), (std::vector<Part>{{0, 768}, {768, 768}, {1536, 764}}));
    const auto covers = [](const std::vector<Part>& parts, index_t whole) {
        index_t next = 0;
        for (const Part& part : parts) {
            EXPECT_EQ(part.first, next);
            EXPECT_GT(part.count, 0);
            EXPECT_LE(part.count, 1024);
            next += part.count;
        }
        EXPECT_EQ(next, whole);
    };
    for (const index_t whole : {0, 1, 100, 1000, 1025, 5000})
        for (const int taper : {0, 1, 2, 3, 4}) {
            covers(cut_from_small(whole, 1024, taper), whole);
            covers(cut_lines(whole, 1024, taper), whole);
            covers(cut_equally({0, whole}, 1024), whole);
        }
}

}  // namespace
}  // namespace gemmill::test
