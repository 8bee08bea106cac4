// SPDX-License-Identifier: Apache-2.0
// The CPU beside a GPU, as the option `devices` names it: the GPU is the fake one beside this
// program.
#include <gtest/gtest.h>

#include <vector>

#include "api/learn/contribution.hpp"
#include "gemmill/context.hpp"
#include "gemmill/error.hpp"
#include "gemmill/gemm.hpp"
#include "support/own_process.hpp"

namespace gemmill::test {
namespace {

/// A slow GPU, so that the CPU is worth asking.
Options on(const std::string& devices) {
    Options options;
    options.devices = devices;
    options.machine = "gpu:1(mem=4GB,d=20G) pcie:100GB/s";
    return options;
}

TEST(JoinedDevices, the_cpu_is_a_device_beside_the_gpu) {
    if (ran_in_own_process()) return;
    Context alone(on("cuda:0")), both(on("cuda:0+cpu"));
    EXPECT_EQ(alone.machine().devices.size(), 1U);
    ASSERT_EQ(both.machine().devices.size(), 2U);
    EXPECT_EQ(both.machine().devices.back().name, "cpu");
    EXPECT_TRUE(check(both.machine()).empty());
    EXPECT_EQ(parse_machine(to_text(both.machine())), both.machine());
}

TEST(JoinedDevices, a_product_is_shared_and_right) {
    if (ran_in_own_process()) return;
    Options options = on("cuda:0+cpu");
    options.tile = 700;
    Context context(options);
    const index_t n = 700;
    std::vector<double> a(n * n, 1), b(n * n, 2), c(n * n, 5);
    double part = 0;
    context.observe([&](const Report& report) { part = cpu_part(report.plan); });
    gemm(context, Layout::ColMajor, Op::NoTrans, Op::NoTrans, n, n, n, 1.0, a.data(), n, b.data(),
         n, 0.5, c.data(), n);
    EXPECT_GT(part, 0.02);
    EXPECT_LT(part, 1);
    for (const double value : c) ASSERT_EQ(value, 2 * n + 2.5);
}

TEST(JoinedDevices, what_cannot_be_meant_is_refused) {
    if (ran_in_own_process()) return;
    for (const char* const text : {"cuda:0+", "cuda:0+gpu", "cpu+cpu", "auto+cpu", "cuda:0+cpu+cpu",
                                   "+cpu", "cuda:7+cpu", "cpu:2+cpu", "cuda:0 +cpu"})
        EXPECT_THROW(Context{on(text)}, Error) << text;
}

}  // namespace
}  // namespace gemmill::test
