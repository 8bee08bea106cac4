// SPDX-License-Identifier: Apache-2.0
// Batches over the devices of a context, on a real GPU in one, two and four shares.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "gemmill/gemmill.hpp"
#include "support/batch_case.hpp"

namespace gemmill::test {
namespace {

class CudaBatchSplit : public ::testing::TestWithParam<const char*> {
  protected:
    void SetUp() override {
        int devices = 0;
        if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
            cudaGetLastError();
            GTEST_SKIP() << "no GPU";
        }
        Options options;
        options.devices = GetParam();
        context_ = std::make_unique<Context>(options);
    }
    void TearDown() override {
        if (context_ == nullptr) return;
        EXPECT_EQ(cudaGetLastError(), cudaSuccess) << "an error of ours was left to the caller";
    }
    std::unique_ptr<Context> context_;
};

TEST_P(CudaBatchSplit, many_shapes_of_the_host) {
    Random random(1);
    for (int i = 0; i < 20; ++i) {
        const index_t largest[] = {8, 16, 32, 80, 200};
        BatchCase batch(random_products(random, random.between(1, 80), random.pick(largest)),
                        random);
        gemm_batch(*context_, batch.layout(), batch.variable(), {random.chance(30), {}});
        ASSERT_TRUE(batch.check());
    }
}

TEST_P(CudaBatchSplit, one_shape_of_the_host) {
    Random random(2);
    for (int i = 0; i < 40; ++i) {
        BatchCase batch(
            std::vector(static_cast<std::size_t>(random.between(1, 50)), random_case(random, 70)),
            random);
        gemm_batch(*context_, batch.layout(), batch.uniform());
        ASSERT_TRUE(batch.check());
    }
}

/// C(i) = 3 i + 2 + C(i), 1 x 1 x 1, in gaps of NaN; more than the slots hold.
TEST_P(CudaBatchSplit, any_number_of_products) {
    for (const index_t count : {0, 1, 65535, 65536, 4000000}) {
        const auto size = static_cast<std::size_t>(2 * count);
        std::vector<double> a(size, std::nan("")), b = a, c = a;
        for (std::size_t i = 0; i < size; i += 2)
            a[i] = static_cast<double>(i / 2), b[i] = 3, c[i] = 2;
        gemm_strided<double>(*context_, Layout::ColMajor, Op::NoTrans, Op::Trans, 1, 1, 1, 1.0,
                             a.data(), 1, 2, b.data(), 1, 2, 1.0, c.data(), 1, 2, count);
        for (std::size_t i = 0; i < size; i += 2) {
            ASSERT_EQ(c[i], 3.0 * static_cast<double>(i / 2) + 2);
            ASSERT_TRUE(std::isnan(c[i + 1]));
        }
    }
}

/// Ones: 16 x 16 sums of 16, and 17 + 16.
TEST_P(CudaBatchSplit, callers_take_turns) {
    constexpr index_t count = 20000, n = 16;
    const std::vector<double> ones(static_cast<std::size_t>(count * n * n), 1.0);
    const auto call = [&] {
        std::vector<double> c = ones;
        for (int i = 0; i < 2; ++i)
            gemm_strided<double>(*context_, Layout::ColMajor, Op::NoTrans, Op::NoTrans, n, n, n,
                                 1.0, ones.data(), n, n * n, ones.data(), n, n * n, 1.0, c.data(),
                                 n, n * n, count);
        EXPECT_EQ(std::ranges::count(c, 33.0), count * n * n);
    };
    std::thread other(call);
    call();
    other.join();
}

TEST_P(CudaBatchSplit, matrices_of_the_gpu_stay_there) {
    Random random(3);
    std::vector<void*> owned;
    BatchCase::Places places{};
    for (Guarded::Place& place : places) {
        place.allocate = [&](std::size_t bytes) {
            owned.push_back(context_->allocate(0, bytes));
            return owned.back();
        };
        place.copy = [&](void* to, const void* from, std::size_t bytes) {
            context_->copy(to, from, bytes);
        };
    }
    BatchCase batch(random_products(random, 60, 40), random, places);
    batch.send();
    gemm_batch(*context_, batch.layout(), batch.variable(), {true, {}});
    EXPECT_TRUE(batch.check());
    for (void* pointer : owned) context_->release(pointer);
}

TEST_P(CudaBatchSplit, a_bad_product_is_named_and_nothing_written) {
    Random random(4);
    std::vector<GemmCase> products(100);
    for (GemmCase& one : products) one.m = one.n = one.k = 3, one.beta = {1, 0};
    BatchCase batch(products, random);
    Batch bad = batch.variable();
    std::vector<index_t> lda(100, 9);
    lda[93] = 2;
    bad.a.ld.each = lda.data();
    try {
        gemm_batch(*context_, Layout::ColMajor, bad, {true, {}});
        ADD_FAILURE() << "not refused";
    } catch (const Error& error) {
        EXPECT_EQ(error.text(), "gemm_batch: product 93: lda is bad");
    }
    EXPECT_TRUE(batch.untouched());
}

INSTANTIATE_TEST_SUITE_P(Shares, CudaBatchSplit,
                         ::testing::Values("cuda:0", "cuda:0x2", "cuda:0x4"));

}  // namespace
}  // namespace gemmill::test
