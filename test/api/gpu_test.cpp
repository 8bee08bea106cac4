// SPDX-License-Identifier: Apache-2.0
// Calls on a real GPU whose results can be told without a reference.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "backend/plugin.hpp"
#include "gemmill/gemmill.hpp"

namespace gemmill::test {
namespace {

class OnGpu : public ::testing::Test {
  protected:
    void SetUp() override {
        std::string why;
        if (gpu_driver(why) == nullptr) GTEST_SKIP() << why;
    }
};

Options on(const char* devices) {
    Options options;
    options.devices = devices;
    return options;
}

/// C = 2 A B + 3 C with ones everywhere: 2 k + 3.
void multiply_ones(Context& context, index_t n) {
    const std::vector<double> a(static_cast<std::size_t>(n * n), 1.0);
    std::vector<double> c = a;
    gemm<double>(context, Layout::ColMajor, Op::NoTrans, Op::Trans, n, n, n, 2.0, a.data(), n,
                 a.data(), n, 3.0, c.data(), n);
    const auto wanted = static_cast<double>(2 * n + 3);
    EXPECT_TRUE(std::ranges::all_of(c, [&](double x) { return x == wanted; }));
}

TEST_F(OnGpu, memory_that_others_took_makes_a_smaller_plan) {
    Context context(on("cuda:0"));
    constexpr index_t n = 8192;
    constexpr std::size_t left = std::size_t{5} << 28;  // less than the matrices, more than handles
    std::string why;
    std::size_t room = 0;
    ASSERT_EQ(gpu_driver(why)->free_memory(0, &room), 0);
    void* const hog = context.allocate(0, room - left);
    multiply_ones(context, n);
    context.release(hog);
    multiply_ones(context, 1000);
}

TEST_F(OnGpu, two_contexts_and_shares) {
    Context one(on("cuda:0")), four(on("cuda:0x4"));
    for (int i = 0; i < 3; ++i) {
        multiply_ones(one, 1500);
        multiply_ones(four, 1500);
    }
}

TEST_F(OnGpu, small_calls_stay_on_the_host_and_large_ones_do_not) {
    Context context(on("auto"));
    int planned = 0;
    context.observe([&](const Report&) { ++planned; });
    multiply_ones(context, 64);
    EXPECT_EQ(planned, 0);
    multiply_ones(context, 6000);
    EXPECT_EQ(planned, 1);
}

}  // namespace
}  // namespace gemmill::test
