// SPDX-License-Identifier: Apache-2.0
// What is opened to learn whether there are GPUs. libcuda.so.1 and libgemmill_cuda.so beside this
// program are fakes.
#include "backend/plugin.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "base/text.hpp"
#include "support/own_process.hpp"

namespace gemmill::test {
namespace {

bool is_mapped(const char* library) {
    return read_file("/proc/self/maps").find(library) != std::string::npos;
}

TEST(Driver, the_cuda_part_is_opened_only_for_a_gpu) {
    if (ran_in_own_process()) return;
    std::string why;
    ::setenv("FAKE_GPUS", "0", 1);
    EXPECT_EQ(gpu_driver(why), nullptr);
    EXPECT_EQ(why, "no GPU");
    EXPECT_FALSE(is_mapped("libgemmill_cuda"));
    ::setenv("FAKE_GPUS", "-803", 1);
    EXPECT_EQ(gpu_driver(why), nullptr);
    EXPECT_EQ(why, "the NVIDIA driver does not start: error 803");
    EXPECT_FALSE(is_mapped("libgemmill_cuda"));
    EXPECT_TRUE(is_mapped("libcuda.so.1"));
    ::setenv("FAKE_GPUS", "2", 1);
    EXPECT_NE(gpu_driver(why), nullptr);
    EXPECT_TRUE(is_mapped("libgemmill_cuda"));
}

}  // namespace
}  // namespace gemmill::test
