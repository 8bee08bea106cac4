// SPDX-License-Identifier: Apache-2.0
#include "backend/joined/measure.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

namespace gemmill::test {
namespace {

int calls = 0;
std::vector<index_t> columns;

/// A CPU that takes 2 ms, and much longer for its first call of a size.
void slow_gemm(const GemmArgs& args) {
    const bool first = columns.empty() || columns.back() != args.n;
    ++calls;
    if (first) columns.push_back(args.n);
    EXPECT_EQ(args.m, 64);
    EXPECT_EQ(args.k, 32);
    std::this_thread::sleep_for(std::chrono::milliseconds(first ? 100 : 2));
}

TEST(Measure, the_first_call_of_each_size_does_not_count) {
    calls = 0;
    columns.clear();
    int told = 0;
    CpuKernels cpu;
    cpu.kernels.gemm = slow_gemm;
    cpu.run = [&](const std::function<void()>& work) { ++told, work(); };
    const std::vector<double> rates = measured_rates(cpu, {64, 32, {16, 48}});
    EXPECT_EQ(calls, 8);
    EXPECT_EQ(told, 8);
    EXPECT_EQ(columns, (std::vector<index_t>{16, 48}));
    ASSERT_EQ(rates.size(), 2U);
    for (const std::size_t i : {0U, 1U}) {
        const double flops = 2.0 * 64 * 32 * static_cast<double>(columns[i]);
        EXPECT_LE(rates[i], flops / 2e-3);
        EXPECT_GT(rates[i], flops / 100e-3);
    }
}

/// A CPU that something else keeps from the wider product.
void disturbed_gemm(const GemmArgs& args) {
    std::this_thread::sleep_for(std::chrono::milliseconds(args.n > 16 ? 50 : 2));
}

TEST(Measure, more_columns_are_not_slower) {
    CpuKernels cpu;
    cpu.kernels.gemm = disturbed_gemm;
    const std::vector<double> rates = measured_rates(cpu, {64, 32, {16, 48}});
    EXPECT_EQ(rates[0], rates[1]);
}

/// A thread has as many rows on two cores as on sixteen; memory is bounded.
TEST(Measure, what_is_measured_grows_with_the_threads) {
    EXPECT_EQ(narrow_products(14).m, 7 * narrow_products(2).m);
    EXPECT_GT(narrow_products(0).m, 0);
    for (const int threads : {1, 14, 200}) {
        const NarrowProducts products = narrow_products(threads);
        EXPECT_LE(products.m * products.lines.back() * 8, index_t{1} << 27);
        EXPECT_TRUE(std::ranges::is_sorted(products.lines));
    }
}

TEST(Measure, cores_are_left_where_there_are_some) {
    EXPECT_EQ(cores_left(1), 0);
    EXPECT_EQ(cores_left(2), 1);
    EXPECT_EQ(cores_left(4), 1);
    EXPECT_EQ(cores_left(16), 2);
}

}  // namespace
}  // namespace gemmill::test
