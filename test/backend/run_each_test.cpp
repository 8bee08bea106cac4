// SPDX-License-Identifier: Apache-2.0
#include "backend/run_each.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

#include "support/few_threads.hpp"

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

TEST(RunEach, calls_each_once_with_few_threads) {
    for (const int threads : {0, 1, 3}) {
        const test::FewThreads few(threads);
        std::vector<std::atomic<int>> calls(6);
        run_each(6, [&](std::size_t i) { ++calls[i]; });
        for (const auto& made : calls) EXPECT_EQ(made, 1);
    }
}

}  // namespace
}  // namespace gemmill
