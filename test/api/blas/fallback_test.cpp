// SPDX-License-Identifier: Apache-2.0
#include "api/blas/fallback.hpp"

#include <gtest/gtest.h>

namespace gemmill::blas {
namespace {

TEST(Fallbacks, say_nothing_when_nothing_fell_back) {
    Fallbacks f;
    EXPECT_FALSE(f.lost());
    EXPECT_EQ(f.text(), "");
}

TEST(Fallbacks, count_what_devices_could_not_take_and_keep_the_first_reason) {
    Fallbacks f;
    EXPECT_TRUE(f.refuse("no room"));
    EXPECT_EQ(f.text(),
              "  devices could not take 1 call, which ran on the host; the first: no room\n");
    EXPECT_FALSE(f.refuse("no way"));
    EXPECT_FALSE(f.lost());
    EXPECT_EQ(f.text(),
              "  devices could not take 2 calls, which ran on the host; the first: no room\n");
}

TEST(Fallbacks, a_failed_device_is_told_with_all_that_it_missed) {
    Fallbacks f;
    EXPECT_TRUE(f.lose("step 3: launch failed"));
    f.miss();
    f.miss();
    EXPECT_FALSE(f.lose("another thread saw it too"));
    EXPECT_TRUE(f.lost());
    EXPECT_EQ(f.text(),
              "  devices failed and were not used again: step 3: launch failed; 2 calls and 2 "
              "after that ran on the host\n");
    f.forget();
    EXPECT_FALSE(f.lost());
    EXPECT_EQ(f.text(), "");
}

}  // namespace
}  // namespace gemmill::blas
