// SPDX-License-Identifier: Apache-2.0
#include "bench_joined.hpp"

#include <gtest/gtest.h>

namespace gemmill::command {
namespace {

JoinedResult some_result(double split) {
    return {1000,
            {{"GPU alone", "cuda:0", "best", {3, 4, 5}, 0, 0.1},
             {"split as planned", "cuda:0+cpu", "best", {split}, 0.25, 0.1},
             {"split as it goes", "cuda:0+cpu", "dynamic", {3.9}, 0.2, 0.1},
             {"CPU alone", "cpu", "best", {8}, 0, 2}}};
}

TEST(BenchJoined, the_bar_follows_from_both_rates) {
    const JoinedResult result = some_result(3);
    EXPECT_DOUBLE_EQ(result.ratio(), 0.5);
    EXPECT_DOUBLE_EQ(result.bar(), 1.35);
    EXPECT_DOUBLE_EQ(result.reached(1), 4.0 / 3);
}

TEST(BenchJoined, the_table_says_who_is_wrong_and_whether_the_bar_is_reached) {
    const std::string missed = to_text(some_result(3)), reached = to_text(some_result(2.9));
    EXPECT_NE(missed.find("missed with 1.3333"), std::string::npos) << missed;
    EXPECT_NE(reached.find("reached with 1.3793"), std::string::npos) << reached;
    EXPECT_NE(missed.find("25.0 %"), std::string::npos) << missed;
    EXPECT_NE(missed.find("WRONG"), std::string::npos) << missed;
}

}  // namespace
}  // namespace gemmill::command
