// SPDX-License-Identifier: Apache-2.0
// What a piece of code writes to standard output and standard error.
#pragma once

#include <gtest/gtest.h>

#include <string>

namespace gemmill::test {

template <class F>
std::string output_of(F f) {
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    f();
    const std::string out = ::testing::internal::GetCapturedStdout();
    return out + ::testing::internal::GetCapturedStderr();
}

}  // namespace gemmill::test
