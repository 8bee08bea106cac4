// SPDX-License-Identifier: Apache-2.0
#include "api/learn/search_again.hpp"

#include <gtest/gtest.h>

namespace gemmill::test {
namespace {

TEST(SearchAgain, takes_a_fiftieth_of_all_calls_once) {
    for (const double predicted : {1e-3, 3e-3, 0.02, 0.3, 0.5, 7.0}) {
        int searches = 0;
        for (std::int64_t calls = 1; calls < 2000; ++calls) {
            const double search = seconds_to_search(predicted, calls);
            if (search <= 0) continue;
            ++searches;
            EXPECT_LE(search, 0.5);
            EXPECT_GE(search, 0.02);
            EXPECT_LE(search, 0.0201 * predicted * static_cast<double>(calls)) << predicted;
        }
        EXPECT_EQ(searches, 1) << predicted;
    }
    EXPECT_FALSE(is_searched_again(1e-4));
    for (std::int64_t calls = 1; calls < 100000; ++calls)
        ASSERT_EQ(seconds_to_search(1e-4, calls), 0);
}

}  // namespace
}  // namespace gemmill::test
