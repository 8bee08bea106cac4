// SPDX-License-Identifier: Apache-2.0
// A check is worth what it catches: right products pass, every small damage fails.
#include "verify.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "kernel/cpu/host_blas.hpp"
#include "random.hpp"

namespace gemmill::command {
namespace {

template <class T>
std::vector<T> random_matrix(index_t count, std::uint64_t seed) {
    Random random(seed);
    std::vector<T> data(static_cast<std::size_t>(count));
    for (T& x : data) x = from_scalar<T>({random.uniform(), 0});
    return data;
}

/// A right product by the host BLAS.
template <class T>
struct Sample {
    Sample(index_t size, index_t depth) : n(size), k(depth) {
        open_host_blas("");
        args = {type_of<T>, Op::NoTrans, Op::Trans, n, n,      k,        {0.5, 0},
                a.data(),   n,           b.data(),  n, {2, 0}, c.data(), n};
        host_gemm(args);
    }
    Verdict verdict(std::vector<T> result) const {
        GemmArgs judged = args;
        judged.c = result.data();
        return verify(judged, old.data());
    }

    index_t n, k;
    std::vector<T> a = random_matrix<T>(n * k, 1), b = random_matrix<T>(n * k, 2);
    std::vector<T> old = random_matrix<T>(n * n, 3), c = old;
    GemmArgs args;
};

template <class T>
class Verify : public testing::Test {
  public:
    static const Sample<T>& small() {
        static const Sample<T> sample(40, 30);
        return sample;
    }
    static const Sample<T>& large() {
        static const Sample<T> sample(1000, 520);
        return sample;
    }
    static void add(T& x, float error) { x = T(x + scalar_t<T>(error)); }
    /// One wrong element that a random vector sees: it has to stand out of the roundings of a row.
    static float visible() {
        return type_of<T> == Type::h ? 4.0F : type_of<T> == Type::b ? 32.0F : 0.5F;
    }
    /// The verdict on a sample that f has damaged.
    template <class F>
    static bool passes(const Sample<T>& sample, F f) {
        std::vector<T> c = sample.c;
        f(c);
        return sample.verdict(std::move(c)).right();
    }
};
using Types =
    testing::Types<float, double, std::complex<float>, std::complex<double>, half, bfloat16>;
TYPED_TEST_SUITE(Verify, Types);

TYPED_TEST(Verify, RightProductsPass) {
    const Verdict small = this->small().verdict(this->small().c);
    EXPECT_LE(small.error, 1);
    EXPECT_STREQ(small.method, "reference product");
    const Verdict large = this->large().verdict(this->large().c);
    EXPECT_LE(large.error, 1);
    EXPECT_STREQ(large.method, "random vector");
}

TYPED_TEST(Verify, OneWrongElementFails) {
    EXPECT_FALSE(this->passes(this->small(), [](auto& c) { TestFixture::add(c[37], 0.5F); }));
    EXPECT_FALSE(this->passes(this->large(),
                              [](auto& c) { TestFixture::add(c[37], TestFixture::visible()); }));
}

TYPED_TEST(Verify, ErrorsOfOppositeSignInARowFail) {
    EXPECT_FALSE(this->passes(this->large(), [](auto& c) {
        TestFixture::add(c[5], 10 * TestFixture::visible());
        TestFixture::add(c[1005], -10 * TestFixture::visible());
    }));
}

TYPED_TEST(Verify, NotANumberFails) {
    const auto damage = [](auto& c) { c[3] = TypeParam(std::numeric_limits<float>::quiet_NaN()); };
    EXPECT_FALSE(this->passes(this->small(), damage));
    EXPECT_FALSE(this->passes(this->large(), damage));
}

/// Ones added one by one: a 16-bit sum that is rounded each time stops growing on the way.
TYPED_TEST(Verify, RoundingsAreAllowedForWhenTheyAreKnown) {
    constexpr index_t k = 3000;
    open_host_blas("");
    const std::vector<TypeParam> ones(k, TypeParam(1));
    const TypeParam old(0);
    TypeParam c = old;
    GemmArgs args{type_of<TypeParam>, Op::NoTrans, Op::NoTrans, 1, 1,      1,  {1, 0},
                  ones.data(),        1,           ones.data(), k, {1, 0}, &c, 1};
    for (index_t l = 0; l < k; ++l) host_gemm(args);
    args.k = k;
    EXPECT_EQ(verify(args, &old, 1).right(), !is_short(args.type));
    EXPECT_TRUE(verify(args, &old, k).right());
}

TYPED_TEST(Verify, UntouchedResultFails) {
    EXPECT_FALSE(this->small().verdict(this->small().old).right());
    EXPECT_FALSE(this->large().verdict(this->large().old).right());
}

TEST(VerifyHalf, WhatOverflowsMustBeInfinite) {
    const half x(300), old(0);
    half c(0);
    const GemmArgs args{Type::h, Op::NoTrans, Op::NoTrans, 1, 1,      1,  {1, 0},
                        &x,      1,           &x,          1, {0, 0}, &c, 1};
    for (const float result : {std::numeric_limits<float>::infinity(), 65504.0F, -65536.0F}) {
        c = half(result);
        EXPECT_EQ(verify(args, &old).right(), result > 65504) << result;
    }
}

}  // namespace
}  // namespace gemmill::command
