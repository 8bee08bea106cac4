// SPDX-License-Identifier: Apache-2.0
#include "backend/gpu/loader.hpp"

#include <gtest/gtest.h>

#include "support/fake_gpu.hpp"

namespace gemmill::test {
namespace {

std::atomic<int> products, sums, copies;

/// The fake driver, which counts.
GpuDriver counting_driver() {
    products = sums = copies = 0;
    FakeGpus::instance().reset();
    GpuDriver driver = fake_gpu_driver();
    driver.gemm = [](GpuBlas* blas, const GemmArgs& args) {
        ++products;
        return fake::gemm(blas, args);
    };
    driver.add = [](GpuStream* stream, const AddArgs& args) {
        ++sums;
        return fake::add(stream, args);
    };
    driver.copy = [](GpuStream* stream, const CopyArgs& args, const BorderArgs& border) {
        ++copies;
        return fake::copy(stream, args, border);
    };
    return driver;
}

TEST(Loader, launches_one_of_each_kernel_on_each_gpu_once_for_each_type) {
    const GpuDriver driver = counting_driver();
    {
        Loader loader(driver, {0, 1});
        for (int i = 0; i < 3; ++i) loader.load(Type::d);
    }
    EXPECT_EQ(products, 2);
    EXPECT_EQ(sums, 2);
    EXPECT_EQ(copies, 6);
    {
        Loader loader(driver, {1});
        loader.load(Type::s);
        loader.load(Type::z);
        loader.load(Type::s);
    }
    EXPECT_EQ(products, 4);
}

TEST(Loader, leaves_nothing_behind) {
    const GpuDriver driver = counting_driver();
    FakeGpus& gpus = FakeGpus::instance();
    { Loader unused(driver, {0, 1}); }
    EXPECT_EQ(products, 0);
    {
        Loader loader(driver, {0, 1});
        loader.load(Type::h);
    }
    EXPECT_EQ(gpus.used[0], 0U);
    EXPECT_EQ(gpus.used[1], 0U);
}

TEST(Loader, a_gpu_without_memory_is_left_alone) {
    const GpuDriver driver = counting_driver();
    FakeGpus::instance().limit = 1000;
    {
        Loader loader(driver, {0});
        loader.load(Type::d);
    }
    EXPECT_EQ(products, 0);
    FakeGpus::instance().reset();
}

}  // namespace
}  // namespace gemmill::test
