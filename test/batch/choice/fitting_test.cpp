// SPDX-License-Identifier: Apache-2.0
#include "batch/choice/fitting.hpp"

#include <gtest/gtest.h>

using gemmill::FittingPace;
using Step = FittingPace::Step;

TEST(FittingPace, asks_once_when_a_shape_has_taken_long_enough) {
    FittingPace pace;
    int without = 0;
    while (pace.next(1e-4) == Step::without) ++without;
    EXPECT_GT(without, 20);
    EXPECT_LT(without, 1000);
    for (int i = 0; i < 5; ++i) EXPECT_EQ(pace.next(1e-4), Step::wait);
    pace.answered(true);
    for (int i = 0; i < 5; ++i) EXPECT_EQ(pace.next(1e-4), Step::use);
}

TEST(FittingPace, does_not_ask_again_for_what_cannot_be_had) {
    FittingPace pace;
    while (pace.next(1e-3) != Step::wait) {
    }
    pace.answered(false);
    for (int i = 0; i < 100; ++i) EXPECT_EQ(pace.next(1e-3), Step::without);
}
