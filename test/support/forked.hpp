// SPDX-License-Identifier: Apache-2.0
// What a child process makes of what its parent has.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <exception>
#include <functional>

namespace gemmill::test {

/// Runs `body` in a forked child, which says whether all was well; false too when it does not end
/// within a minute, or crashes.
inline bool in_child(const std::function<bool()>& body) {
    const pid_t child = ::fork();
    if (child == 0) {
        ::alarm(60);
        try {
            ::_exit(body() ? 0 : 1);
        } catch (const std::exception& error) {
            static_cast<void>(!::write(STDERR_FILENO, error.what(), 60));
        }
        ::_exit(2);
    }
    int status = -1;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace gemmill::test
