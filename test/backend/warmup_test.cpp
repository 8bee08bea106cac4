// SPDX-License-Identifier: Apache-2.0
#include "backend/gpu/warmup.hpp"

#include <gtest/gtest.h>

#include <atomic>

#include "support/fake_gpu.hpp"
#include "support/few_threads.hpp"

namespace gemmill::test {
namespace {

std::atomic<int> products = 0;

/// The fake driver, which counts products; or whose products fail.
GpuDriver counting(bool fails) {
    GpuDriver driver = fake_gpu_driver();
    products = 0;
    if (fails)
        driver.gemm = [](GpuBlas*, const GemmArgs&) { return 1; };
    else
        driver.gemm = [](GpuBlas* blas, const GemmArgs& args) {
            ++products;
            return fake_gpu_driver().gemm(blas, args);
        };
    return driver;
}

TEST(Warmup, makes_a_product_on_each_gpu) {
    FakeGpus::instance().reset();
    const GpuDriver driver = counting(false);
    { const Warmup warmup(driver, {0, 1}); }
    EXPECT_EQ(products, 2);
}

TEST(Warmup, what_fails_is_left_to_the_first_call) {
    FakeGpus::instance().reset();
    const GpuDriver failing = counting(true);
    EXPECT_NO_THROW(const Warmup warmup(failing, {0}));
    const GpuDriver driver = counting(false);
    const FewThreads none(0);
    EXPECT_NO_THROW(const Warmup warmup(driver, {0}));
    EXPECT_EQ(products, 0);
}

}  // namespace
}  // namespace gemmill::test
