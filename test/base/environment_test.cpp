// SPDX-License-Identifier: Apache-2.0
#include "base/environment.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace gemmill {
namespace {

TEST(ScopedVariable, IsSetWhileItLives) {
    ASSERT_EQ(::unsetenv("SCOPED_FOR_TEST"), 0);
    {
        const ScopedVariable variable("SCOPED_FOR_TEST", "here");
        EXPECT_STREQ(std::getenv("SCOPED_FOR_TEST"), "here");
        EXPECT_TRUE(variable.is_ours());
    }
    EXPECT_EQ(std::getenv("SCOPED_FOR_TEST"), nullptr);
}

TEST(ScopedVariable, LeavesWhatTheUserSet) {
    ASSERT_EQ(::setenv("SCOPED_FOR_TEST", "user", 1), 0);
    {
        const ScopedVariable variable("SCOPED_FOR_TEST", "ours");
        EXPECT_STREQ(std::getenv("SCOPED_FOR_TEST"), "user");
        EXPECT_FALSE(variable.is_ours());
    }
    EXPECT_STREQ(std::getenv("SCOPED_FOR_TEST"), "user");
    ::unsetenv("SCOPED_FOR_TEST");
}

TEST(Environment, KnowsTheProcessThatTheCommandStarted) {
    ASSERT_EQ(::setenv(run_variable, std::to_string(::getpid()).c_str(), 1), 0);
    EXPECT_TRUE(is_run_by_command());
    ASSERT_EQ(::setenv(run_variable, "1", 1), 0);
    EXPECT_FALSE(is_run_by_command());
    ::unsetenv(run_variable);
    EXPECT_FALSE(is_run_by_command());
}

/// Set-uid programs are in test/dropin.
TEST(Environment, IsTheUsersInAnOrdinaryProgram) { EXPECT_FALSE(is_privileged()); }

}  // namespace
}  // namespace gemmill
