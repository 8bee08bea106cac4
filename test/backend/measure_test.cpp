// SPDX-License-Identifier: Apache-2.0
#include "backend/joined/measure.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace gemmill::test {
namespace {

int calls = 0;

/// A CPU that takes 2 ms, and much longer for its first call.
void slow_gemm(const GemmArgs& args) {
    EXPECT_EQ(args.n, 128);
    std::this_thread::sleep_for(std::chrono::milliseconds(calls++ == 0 ? 100 : 2));
}

TEST(Measure, the_first_call_does_not_count) {
    calls = 0;
    int told = 0;
    CpuKernels cpu;
    cpu.kernels.gemm = slow_gemm;
    cpu.run = [&](const std::function<void()>& work) { ++told, work(); };
    const double rate = measured_rate(cpu, {256, 128, 64});
    EXPECT_EQ(calls, 4);
    EXPECT_EQ(told, 4);
    const double flops = 2.0 * 256 * 128 * 64;
    EXPECT_LE(rate, flops / 2e-3);
    EXPECT_GT(rate, flops / 100e-3);
}

TEST(Measure, cores_are_left_where_there_are_some) {
    EXPECT_EQ(cores_left(1), 0);
    EXPECT_EQ(cores_left(2), 1);
    EXPECT_EQ(cores_left(4), 1);
    EXPECT_EQ(cores_left(16), 2);
}

}  // namespace
}  // namespace gemmill::test
