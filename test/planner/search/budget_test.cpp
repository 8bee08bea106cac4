// SPDX-License-Identifier: Apache-2.0
#include "planner/search/budget.hpp"

#include <gtest/gtest.h>

namespace gemmill::test {
namespace {

TEST(Budget, is_a_fiftieth_of_a_run_within_limits) {
    EXPECT_DOUBLE_EQ(budget_for(1.0), work_a_second * 0.02);
    EXPECT_DOUBLE_EQ(budget_for(1e-3), work_a_second * 5e-3);
    EXPECT_DOUBLE_EQ(budget_for(1e3), work_a_second * 0.5);
}

TEST(Budget, of_many_calls_is_a_fiftieth_of_all_of_them_and_once) {
    for (const double run : {1e-3, 3e-3, 0.02, 0.3, 0.5, 7.0}) {
        int searches = 0;
        for (std::int64_t calls = 1; calls < 2000; ++calls) {
            const double seconds = budget_again(run, calls);
            if (seconds <= 0) continue;
            ++searches;
            EXPECT_LE(seconds, 0.5);
            EXPECT_GE(seconds, 0.02);
            EXPECT_LE(seconds, 0.0201 * run * static_cast<double>(calls)) << run;
        }
        EXPECT_EQ(searches, 1) << run;
    }
}

}  // namespace
}  // namespace gemmill::test
