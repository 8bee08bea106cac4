// SPDX-License-Identifier: Apache-2.0
#include "mpi/gpu_aware.hpp"

#include <gtest/gtest.h>

#include "gemmill/error.hpp"

namespace gemmill::test {
namespace {

TEST(GpuAware, is_said_or_asked_for) {
    EXPECT_TRUE(is_gpu_aware("1"));
    EXPECT_FALSE(is_gpu_aware("0"));
    EXPECT_NO_THROW(is_gpu_aware("auto"));
    EXPECT_THROW(is_gpu_aware("yes"), Error);
}

}  // namespace
}  // namespace gemmill::test
