// SPDX-License-Identifier: Apache-2.0
#include "check/product_error.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <limits>
#include <vector>

#include "kernel/cpu/host/host_blas.hpp"
#include "random/arrays.hpp"

namespace gemmill::command {
namespace {

/// A right product by the host BLAS.
template <class T>
struct Sample {
    Sample() {
        open_host_blas("");
        fill_random(args.type, a.data(), m * k, seeds[0]);
        fill_random(args.type, b.data(), k * n, seeds[1]);
        fill_random(args.type, c.data(), m * n, seeds[2]);
        args.a = a.data(), args.b = b.data(), args.c = c.data();
        host_gemm(args);
    }
    double error() const { return product_error(args, seeds[2]); }

    static constexpr index_t m = 300, n = 170, k = 90;
    std::vector<T> a = std::vector<T>(m * k), b = std::vector<T>(k * n), c = std::vector<T>(m * n);
    GemmArgs args{type_of<T>, Op::NoTrans, Op::NoTrans, m, n,        k,       {1.1, 0},
                  nullptr,    m,           nullptr,     k, {0.9, 0}, nullptr, m};
};

template <class T>
class BenchCheck : public testing::Test {};
using Types = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(BenchCheck, Types);

TYPED_TEST(BenchCheck, RightProductsPass) {
    const Sample<TypeParam> sample;
    EXPECT_GT(sample.error(), 0);
    EXPECT_LE(sample.error(), 1);
}

TYPED_TEST(BenchCheck, DamageFails) {
    for (const float damage : {0.5F, std::numeric_limits<float>::quiet_NaN()}) {
        Sample<TypeParam> sample;
        sample.c[12345] += TypeParam(damage);
        EXPECT_GT(sample.error(), 1);
    }
    Sample<TypeParam> untouched;
    fill_random(untouched.args.type, untouched.c.data(), untouched.m * untouched.n, seeds[2]);
    EXPECT_GT(untouched.error(), 1);
}

}  // namespace
}  // namespace gemmill::command
