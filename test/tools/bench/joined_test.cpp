// SPDX-License-Identifier: Apache-2.0
#include "bench/joined.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace gemmill::command {
namespace {

/// The CPU makes a product of half the edge, which is an eighth of the work.
JoinedResult some_result(double split) {
    JoinedResult result;
    result.n = 1000;
    result.alone = {"GPU alone", "cuda:0", "best", 1000, {3, 4, 5}, 0, 0.1};
    result.goes = {"GPU alone, as it goes", "cuda:0", "dynamic", 1000, {4.1}, 0, 0.1};
    result.planned = {"split as planned", "cuda:0+cpu", "best", 1000, {split}, 0.25, 0.1};
    result.both = {"split as it goes", "cuda:0+cpu", "dynamic", 1000, {3.9}, 0.2, 0.1};
    result.cpu = {"CPU alone", "cpu", "best", 500, {1}, 0, 0.1};
    return result;
}

TEST(BenchJoined, the_bar_follows_from_both_rates) {
    const JoinedResult result = some_result(3);
    EXPECT_DOUBLE_EQ(result.ratio(), 0.5);
    EXPECT_DOUBLE_EQ(result.bar(), 1.35);
    EXPECT_DOUBLE_EQ(result.reached(result.planned), 4.0 / 3);
}

TEST(BenchJoined, the_table_says_whether_bars_are_reached) {
    const std::string missed = to_text(some_result(3)), reached = to_text(some_result(2.9));
    EXPECT_NE(missed.find("missed with 1.3333"), std::string::npos) << missed;
    EXPECT_NE(reached.find("reached with 1.3793"), std::string::npos) << reached;
    EXPECT_NE(missed.find("25.0 %"), std::string::npos) << missed;
    EXPECT_NE(missed.find("never under 0.995: reached with 1.0256"), std::string::npos) << missed;
    EXPECT_NE(to_text(some_result(5)).find("never under 0.995: missed"), std::string::npos);
    EXPECT_NE(missed.find("(1.3333): missed"), std::string::npos) << "slower than as planned";
    EXPECT_NE(to_text(some_result(3.95)).find("(1.0127): reached"), std::string::npos);
}

TEST(BenchJoined, one_wrong_way_is_told) {
    JoinedResult result = some_result(3);
    EXPECT_TRUE(result.right());
    result.cpu.error = 2;
    EXPECT_FALSE(result.right());
    EXPECT_NE(to_text(result).find("WRONG"), std::string::npos);
    EXPECT_FALSE(to_json(result)["ways"][4]["right"].get<bool>());
}

}  // namespace
}  // namespace gemmill::command
