// SPDX-License-Identifier: Apache-2.0
// Batches through the C++ interface, on the CPU.
#include "gemmill/batch.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "gemmill/gemmill.hpp"
#include "support/batch_case.hpp"

namespace gemmill::test {
namespace {

Context& cpu() {
    static Context context([] {
        Options options;
        options.devices = "cpu";
        options.threads = 4;
        return options;
    }());
    return context;
}

TEST(Batch, variable_sizes_against_the_loops) {
    Random random(1);
    for (int i = 0; i < affordable(60); ++i) {
        BatchCase batch(random_products(random, random.between(1, 60), random.between(1, 40)),
                        random);
        gemm_batch(cpu(), batch.layout(), batch.variable(), {random.chance(50), {}});
        ASSERT_TRUE(batch.check());
    }
}

TEST(Batch, pointer_arrays_of_one_shape) {
    Random random(2);
    for (int i = 0; i < affordable(120); ++i) {
        BatchCase batch(
            std::vector(static_cast<std::size_t>(random.between(1, 30)), random_case(random, 33)),
            random);
        gemm_batch(cpu(), batch.layout(), batch.uniform());
        ASSERT_TRUE(batch.check());
    }
}

TEST(Batch, strided_ones_with_and_without_gaps) {
    Random random(4);
    for (int i = 0; i < affordable(120); ++i) {
        GemmCase one = random_case(random, 33);
        one.layout = Layout::ColMajor;
        BatchCase batch(std::vector(static_cast<std::size_t>(random.between(1, 30)), one), random);
        Chain chain(batch, random.chance(30) ? 1 : 0, random.chance(30) ? 3 : 0);
        gemm_batch(cpu(), Layout::ColMajor, chain.here());
        ASSERT_TRUE(chain.check());
    }
}

/// Sizes, alpha and beta that other libraries test with: around the borders of vectors and tiles.
TEST(Batch, shapes_of_other_test_suites) {
    Random random(3);
    const index_t sizes[] = {1,  2,  3,  4,  7,  8,  15, 16, 17, 20,
                             30, 31, 32, 33, 34, 62, 63, 64, 65, 66};
    for (const Type type : host_types)
        for (const index_t size : sizes) {
            std::vector<GemmCase> products;
            for (const Op op_a : all_ops)
                for (const Op op_b : all_ops) {
                    GemmCase one;
                    one.type = type;
                    one.op_a = op_a, one.op_b = op_b;
                    one.m = size, one.n = size, one.k = size;
                    one.gap = {32 - size % 32, 0, 1};
                    one.alpha = {0.29, is_complex(type) ? -0.86 : 0};
                    one.beta = {-0.48, is_complex(type) ? 0.38 : 0};
                    products.push_back(one);
                }
            const index_t shapes[][3] = {{20, 1, 5},   {1, 20, 5},  {200, 1, 3}, {31, 33, 35},
                                         {59, 61, 63}, {3, 9, 130}, {size, 2, 0}};
            for (const auto& [m, n, k] : shapes) {
                products.push_back(products.front());
                products.back().m = m, products.back().n = n, products.back().k = k;
            }
            BatchCase batch(products, random);
            gemm_batch(cpu(), Layout::ColMajor, batch.variable());
            ASSERT_TRUE(batch.check());
        }
}

/// Devices that are cores: all memory is the host's, and all cores take parts.
TEST(Batch, matrices_of_several_cpu_devices) {
    Random random(7);
    for (const char* devices : {"cpu:1", "cpu:2", "cpu:4"}) {
        Options options;
        options.devices = devices;
        options.threads = 2;
        Context context(options);
        const auto count = static_cast<DeviceId>(context.machine().devices.size());
        DeviceId next = 0;
        std::vector<void*> owned;
        BatchCase::Places places{};
        for (Guarded::Place& place : places) {
            place.allocate = [&](std::size_t bytes) {
                owned.push_back(context.allocate(next++ % count, bytes));
                return owned.back();
            };
            place.copy = [&](void* to, const void* from, std::size_t bytes) {
                context.copy(to, from, bytes);
            };
        }
        BatchCase there(random_products(random, 50, 20), random, places);
        there.send();
        gemm_batch(context, there.layout(), there.variable(), {true, {}});
        EXPECT_TRUE(there.check());
        BatchCase here(random_products(random, 50, 20), random);
        gemm_batch(context, here.layout(), here.variable());
        EXPECT_TRUE(here.check());
        for (void* pointer : owned) context.release(pointer);
    }
}

TEST(Batch, large_products_among_small_ones) {
    Random random(4);
    std::vector<GemmCase> products(12);
    for (std::size_t i = 0; i < products.size(); ++i) {
        const index_t n = i % 5 == 2 ? 390 : 9;
        products[i].m = n, products[i].n = n, products[i].k = n;
        products[i].beta = {1, 0};
    }
    BatchCase batch(products, random);
    gemm_batch(cpu(), Layout::ColMajor, batch.variable());
    EXPECT_TRUE(batch.check());
}

TEST(Batch, few_products_that_are_not_small) {
    Random random(8);
    for (const std::size_t count : {1, 3, 4, 5}) {
        std::vector<GemmCase> products(count);
        for (GemmCase& one : products) one.m = 70, one.n = 80, one.k = 90, one.beta = {1, 0};
        BatchCase batch(products, random);
        gemm_batch(cpu(), Layout::ColMajor, batch.uniform());
        EXPECT_TRUE(batch.check());
    }
}

/// C(i) = 3 i + 2 + C(i), 1 x 1 x 1, in gaps of NaN.
TEST(Batch, any_number_of_products) {
    for (const index_t count : {0, 1, 65535, 65536, 1000000}) {
        const auto size = static_cast<std::size_t>(2 * count);
        const double nan = std::numeric_limits<double>::quiet_NaN();
        std::vector<double> a(size, nan), b(size, nan), c(size, nan);
        for (index_t i = 0; i < count; ++i) {
            const auto at = static_cast<std::size_t>(2 * i);
            a[at] = static_cast<double>(i), b[at] = 3, c[at] = 2;
        }
        gemm_strided<double>(cpu(), Layout::ColMajor, Op::NoTrans, Op::Trans, 1, 1, 1, 1.0,
                             a.data(), 1, 2, b.data(), 1, 2, 1.0, c.data(), 1, 2, count);
        for (index_t i = 0; i < count; ++i) {
            const auto at = static_cast<std::size_t>(2 * i);
            ASSERT_EQ(c[at], static_cast<double>(3 * i + 2));
            ASSERT_TRUE(std::isnan(c[at + 1]));
        }
    }
}

TEST(Batch, one_matrix_for_all) {
    const double a[] = {1, 2, 3, 4};
    std::vector<double> b(4000, 1.0), c(4000, std::numeric_limits<double>::quiet_NaN());
    gemm_strided<double>(cpu(), Layout::RowMajor, Op::NoTrans, Op::NoTrans, 2, 2, 2, 1.0, a, 2, 0,
                         b.data(), 2, 4, 0.0, c.data(), 2, 4, 1000);
    for (std::size_t i = 0; i < 1000; ++i) {
        ASSERT_EQ(c[4 * i], 3);
        ASSERT_EQ(c[4 * i + 1], 3);
        ASSERT_EQ(c[4 * i + 2], 7);
        ASSERT_EQ(c[4 * i + 3], 7);
    }
}

std::string refusal(const std::function<void()>& call) {
    try {
        call();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), Code::bad_argument);
        return error.text();
    }
    return {};
}

TEST(Batch, a_checked_batch_with_a_bad_product_is_not_begun) {
    Random random(5);
    std::vector<GemmCase> products(100);
    for (GemmCase& one : products) one.m = one.n = one.k = 3, one.beta = {1, 0};
    BatchCase batch(products, random);
    Batch bad = batch.variable();
    std::vector<index_t> n(100, 3);
    n[77] = -1;
    bad.n.each = n.data();
    EXPECT_EQ(refusal([&] {
                  gemm_batch(cpu(), Layout::ColMajor, bad, {true, {}});
              }),
              "gemm_batch: product 77: n is bad");
    EXPECT_TRUE(batch.untouched());
    EXPECT_EQ(refusal([&] { gemm_batch(cpu(), static_cast<Layout>('X'), bad); }),
              "gemm_batch: layout is no flag");
}

TEST(Batch, a_stream_needs_a_gpu) {
    double x = 0;
    BatchOptions options;
    options.stream = nullptr;
    EXPECT_THROW(gemm_strided<double>(cpu(), Layout::ColMajor, Op::NoTrans, Op::NoTrans, 1, 1, 1,
                                      1.0, &x, 1, 1, &x, 1, 1, 0.0, &x, 1, 1, 1, options),
                 Error);
}

class BatchGroups : public ::testing::TestWithParam<index_t> {};

/// Few large groups and many small ones go different ways.
TEST_P(BatchGroups, against_the_loops) {
    Random random(6);
    const index_t groups = GetParam();
    std::vector<GemmCase> products;
    std::vector<index_t> sizes, m, n, k, lda, ldb, ldc;
    std::vector<Op> op_a, op_b;
    std::vector<double> alpha, beta;
    for (index_t g = 0; g < groups; ++g) {
        GemmCase one = random_case(random, 12);
        one.type = Type::d, one.layout = Layout::RowMajor;
        one.alpha.im = one.beta.im = 0;
        sizes.push_back(random.below(5));
        op_a.push_back(one.op_a), op_b.push_back(one.op_b);
        m.push_back(one.m), n.push_back(one.n), k.push_back(one.k);
        alpha.push_back(one.alpha.re), beta.push_back(one.beta.re);
        products.insert(products.end(), static_cast<std::size_t>(sizes.back()), one);
        const Operands sample(one, random);
        auto& like = const_cast<Operands&>(sample);
        lda.push_back(like.a().ld()), ldb.push_back(like.b().ld()), ldc.push_back(like.c().ld());
    }
    BatchCase batch(products, random);
    const Batch all = batch.variable();
    std::vector<std::int64_t> info(products.size() + 1, 9);
    gemm_groups<double>(
        cpu(), Layout::RowMajor, groups, sizes.data(), op_a.data(), op_b.data(), m.data(), n.data(),
        k.data(), alpha.data(), reinterpret_cast<const double* const*>(all.a.array), lda.data(),
        reinterpret_cast<const double* const*>(all.b.array), ldb.data(), beta.data(),
        reinterpret_cast<double* const*>(const_cast<void* const*>(all.c.array)), ldc.data(),
        BatchInfo::all, info.data());
    EXPECT_TRUE(batch.check());
    EXPECT_EQ(std::ranges::count(info, 0), static_cast<index_t>(products.size()));
    EXPECT_EQ(info.back(), 9);
}

INSTANTIATE_TEST_SUITE_P(Some, BatchGroups, ::testing::Values(0, 1, 5, 40));

}  // namespace
}  // namespace gemmill::test
