// SPDX-License-Identifier: Apache-2.0
#include "base/environment.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace gemmill {
namespace {

TEST(ScopedVariable, IsSetWhileItLives) {
    ASSERT_EQ(::unsetenv("SCOPED_FOR_TEST"), 0);
    {
        const ScopedVariable variable("SCOPED_FOR_TEST", "here");
        EXPECT_STREQ(std::getenv("SCOPED_FOR_TEST"), "here");
    }
    EXPECT_EQ(std::getenv("SCOPED_FOR_TEST"), nullptr);
}

TEST(ScopedVariable, LeavesWhatTheUserSet) {
    ASSERT_EQ(::setenv("SCOPED_FOR_TEST", "user", 1), 0);
    {
        const ScopedVariable variable("SCOPED_FOR_TEST", "ours");
        EXPECT_STREQ(std::getenv("SCOPED_FOR_TEST"), "user");
    }
    EXPECT_STREQ(std::getenv("SCOPED_FOR_TEST"), "user");
    ::unsetenv("SCOPED_FOR_TEST");
}

}  // namespace
}  // namespace gemmill
