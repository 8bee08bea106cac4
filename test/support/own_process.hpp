// SPDX-License-Identifier: Apache-2.0
// Tests of what a process reads once, such as its environment.
#pragma once

#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <utility>

namespace gemmill::test {

/// Runs the present test in a process of its own, where it must pass.
inline void run_in_own_process() {
    const ::testing::TestInfo& info = *::testing::UnitTest::GetInstance()->current_test_info();
    std::string program = std::filesystem::read_symlink("/proc/self/exe");
    std::string filter =
        std::string("--gtest_filter=") + info.test_suite_name() + "." + info.name();
    char* const arguments[] = {program.data(), filter.data(), nullptr};
    pid_t child = -1;
    int status = -1;
    EXPECT_EQ(::posix_spawn(&child, program.c_str(), nullptr, nullptr, arguments, environ), 0);
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0) << filter;
}

/// False for the first test of a process that asks. Every later one runs in a process of its own
/// and has nothing left to do here.
inline bool ran_in_own_process() {
    static bool fresh = true;
    if (std::exchange(fresh, false)) return false;
    run_in_own_process();
    return true;
}

}  // namespace gemmill::test
