// SPDX-License-Identifier: Apache-2.0
#include "random/arrays.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace gemmill::command {
namespace {

TEST(BenchData, IsRandomAndNeverTheSame) {
    std::vector<double> values(10000), others(10000);
    fill_random(Type::d, values.data(), 10000, 1);
    fill_random(Type::d, others.data(), 10000, 2);
    double sum = 0, squares = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        EXPECT_LE(std::abs(values[i]), 1);
        EXPECT_NE(values[i], others[i]);
        sum += values[i];
        squares += values[i] * values[i];
    }
    EXPECT_NEAR(sum / 1e4, 0, 0.03);
    EXPECT_NEAR(squares / 1e4, 1.0 / 3, 0.02);
}

}  // namespace
}  // namespace gemmill::command
