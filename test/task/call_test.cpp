// SPDX-License-Identifier: Apache-2.0
#include "task/call.hpp"

#include <gtest/gtest.h>

#include "support/level3_case.hpp"

namespace gemmill::test {
namespace {

TEST(Call, problems_come_back_from_their_calls) {
    Random random(1);
    for (int i = 0; i < affordable(500); ++i) {
        const Problem p = random_level3(random, random.pick(level3_routines), 9, 3);
        const auto number = [](Factor f) {
            return f == Factor::zero ? Scalar{} : f == Factor::one ? Scalar{1, 0} : Scalar{2, 0};
        };
        const Level3Args call = call_of(p, {{}, {}, number(p.alpha), number(p.beta)});
        EXPECT_EQ(problem_of(call, p.home), p) << describe(p);
    }
}

TEST(Call, pointers_and_leading_dimensions_are_passed_on) {
    double a = 0, b = 0, c = 0;
    Problem p;
    p.m = 2, p.n = 3, p.k = 4;
    const Given given{{&a, &b, &c}, {5, 6, 7}, {2, 1}, {3, 0}};
    Level3Args call = call_of(p, given);
    EXPECT_EQ(call.a, &a);
    EXPECT_EQ(call.b, &b);
    EXPECT_EQ(call.c, &c);
    EXPECT_EQ(call.lda, 5);
    EXPECT_EQ(call.ldb, 6);
    EXPECT_EQ(call.ldc, 7);
    EXPECT_EQ(call.alpha, (Scalar{2, 1}));
    EXPECT_EQ(call.beta, (Scalar{3, 0}));
    p.routine = Routine::trsm;
    EXPECT_EQ(call_of(p, given).b, nullptr);  // it has none
}

TEST(Call, factors_are_known_by_their_numbers) {
    Level3Args call;
    call.alpha = {1, 0}, call.beta = {0, 0};
    Problem p = problem_of(call, {0, 0, 0});
    EXPECT_EQ(p.alpha, Factor::one);
    EXPECT_EQ(p.beta, Factor::zero);
    call.alpha = {1, 1};
    EXPECT_EQ(problem_of(call, {0, 0, 0}).alpha, Factor::general);
}

}  // namespace
}  // namespace gemmill::test
