// SPDX-License-Identifier: Apache-2.0
#include "api/learn/trust.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gemmill::test {
namespace {

Problem product(index_t n) {
    Problem p;
    p.m = p.n = p.k = n;
    return p;
}

void note(Trust& trust, Way way, double measured, int calls) {
    for (int i = 0; i < calls; ++i) trust.note(product(1000), way, measured, 1);
}

TEST(Trust, begins_with_the_static_plan) {
    Trust trust;
    EXPECT_EQ(trust.choose(product(1000)), Way::fixed);
    EXPECT_EQ(trust.ratio(product(1000)), 0);
    EXPECT_EQ(Trust().text(), "");
}

TEST(Trust, the_first_call_says_nothing) {
    Trust trust;
    note(trust, Way::fixed, 9, 1);
    EXPECT_EQ(trust.choose(product(1000)), Way::fixed);
    note(trust, Way::fixed, 1, 1);
    EXPECT_EQ(trust.choose(product(1000)), Way::fixed);
    EXPECT_EQ(trust.ratio(product(1000)), 1);
}

TEST(Trust, decides_again_where_the_model_was_wrong) {
    Trust right, wrong, far;
    note(right, Way::fixed, 1.1, 3);
    note(wrong, Way::fixed, 1.3, 3);
    note(far, Way::fixed, 2, 3);
    EXPECT_EQ(right.choose(product(1000)), Way::fixed);
    EXPECT_EQ(wrong.choose(product(1000)), Way::tail);
    EXPECT_EQ(far.choose(product(1000)), Way::dynamic);
    EXPECT_NEAR(wrong.ratio(product(1000)), 1.3, 1e-12);
}

TEST(Trust, goes_back_where_that_is_slower_still) {
    Trust trust;
    note(trust, Way::fixed, 1.3, 3);
    note(trust, Way::tail, 1.4, 2);
    EXPECT_EQ(trust.choose(product(1000)), Way::fixed);
}

TEST(Trust, looks_again_whether_the_machine_is_well) {
    Trust trust;
    note(trust, Way::fixed, 1.3, 3);
    note(trust, Way::tail, 1.1, 15);
    EXPECT_EQ(trust.choose(product(1000)), Way::tail);
    note(trust, Way::tail, 1.1, 1);
    EXPECT_EQ(trust.choose(product(1000)), Way::fixed);
    note(trust, Way::fixed, 1.3, 1);
    EXPECT_EQ(trust.choose(product(1000)), Way::tail) << "it is not";
    note(trust, Way::tail, 1.1, 16);
    note(trust, Way::fixed, 0.9, 1);
    EXPECT_EQ(trust.choose(product(1000)), Way::fixed) << "it is";
}

TEST(Trust, knows_classes_apart) {
    Trust trust;
    note(trust, Way::fixed, 2, 3);
    EXPECT_EQ(trust.choose(product(1010)), Way::dynamic);
    EXPECT_EQ(trust.choose(product(3000)), Way::fixed);
    Problem other = product(1000);
    other.home = {1, 0, 0};
    EXPECT_EQ(trust.choose(other), Way::fixed);
    EXPECT_THAT(trust.text(), ::testing::HasSubstr("dgemm of 2^30 flops: measured / predicted "
                                                   "2.00 as planned (3 calls)"));
}

}  // namespace
}  // namespace gemmill::test
