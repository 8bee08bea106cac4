// SPDX-License-Identifier: Apache-2.0
#include "backend/run_each.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

namespace gemmill {
namespace {

TEST(RunEach, calls_each_once_and_rethrows_when_all_have_ended) {
    for (const std::size_t count : {0, 1, 5}) {
        std::vector<std::atomic<int>> calls(count);
        run_each(count, [&](std::size_t i) { ++calls[i]; });
        for (const auto& made : calls) EXPECT_EQ(made, 1);
    }
    std::atomic<int> ended = 0;
    EXPECT_THROW(run_each(4,
                          [&](std::size_t i) {
                              ++ended;
                              if (i == 2) throw std::runtime_error("two");
                          }),
                 std::runtime_error);
    EXPECT_EQ(ended, 4);
}

}  // namespace
}  // namespace gemmill
