// SPDX-License-Identifier: Apache-2.0
// A check is worth what it catches: right products pass, every small damage fails.
#include "check/verify.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "kernel/cpu/host/host_blas.hpp"
#include "random/numbers.hpp"

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
    Sample(index_t size, index_t depth, Scalar alpha = {0.5, 0}, Scalar beta = {2, 0})
        : n(size), k(depth) {
        open_host_blas("");
        args = {type_of<T>, Op::NoTrans, Op::Trans, n, n,    k,        alpha,
                a.data(),   n,           b.data(),  n, beta, c.data(), n};
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

template <class T>
bool finite(const T& x) {
    return std::isfinite(std::abs(std::complex<double>(scalar_t<T>(x))));
}

template <class T>
constexpr bool is_double = type_of<T> == Type::d || type_of<T> == Type::z;

/// Just too large for the reference product.
template <class T>
constexpr index_t large_size = is_complex(type_of<T>) ? 500 : 1000;

/// With this alpha sums overflow, and some do not.
template <class T>
constexpr double huge = type_of<T> == Type::h ? 6e4
                        : is_double<T>        ? 1e308
                                              : 3e38;

TYPED_TEST(Verify, WhatOverflowsIsRightAndWhatDoesNotIsStillJudged) {
    constexpr double alpha = huge<TypeParam>;
    Sample<TypeParam> sample(20, 20, {alpha, 0}, {1, 0});
    EXPECT_TRUE(sample.verdict(sample.c).right()) << sample.verdict(sample.c).error;
    int judged = 0;
    for (TypeParam& x : sample.c) {
        if (!finite(x)) continue;
        const TypeParam right = x;
        const double other = std::real(scalar_t<TypeParam>(x)) > 0 ? -0.9 * alpha : 0.9 * alpha;
        x = from_scalar<TypeParam>({other, 0});
        EXPECT_FALSE(sample.verdict(sample.c).right());
        x = right;
        ++judged;
    }
    EXPECT_GT(judged, 10);
    EXPECT_LT(judged, 390);
}

TYPED_TEST(Verify, LargeOnesThatOverflowAreJudgedByElements) {
    const Sample<TypeParam> sample(large_size<TypeParam>, 520, {huge<TypeParam>, 0}, {1, 0});
    const Verdict verdict = sample.verdict(sample.c);
    EXPECT_TRUE(verdict.right()) << verdict.error;
    EXPECT_STREQ(verdict.method, "elements of a grid");
    std::vector<TypeParam> most_wrong = sample.c;
    for (TypeParam& x : most_wrong)
        if (!finite(x)) x = TypeParam(1);
    most_wrong[1] = TypeParam(std::numeric_limits<float>::infinity());
    EXPECT_FALSE(sample.verdict(most_wrong).right());
}

TYPED_TEST(Verify, WhatCannotOverflowMustBeFinite) {
    for (const index_t n : {index_t{20}, large_size<TypeParam>}) {
        Sample<TypeParam> sample(n, 520, {1e-9 * huge<TypeParam>, 0}, {1, 0});
        EXPECT_TRUE(sample.verdict(sample.c).right()) << n;
        sample.c[3] = TypeParam(std::numeric_limits<float>::infinity());
        EXPECT_FALSE(sample.verdict(sample.c).right()) << n;
    }
}

/// Squares of errors overflow, or vanish, in the type itself.
TYPED_TEST(Verify, ExtremeFactorsHideNoDamage) {
    if (is_short(type_of<TypeParam>)) GTEST_SKIP() << "16 bits have no such range";
    for (const double alpha :
         {is_double<TypeParam> ? 1e200 : 1e20, is_double<TypeParam> ? 1e-200 : 1e-20})
        for (const index_t n : {index_t{20}, large_size<TypeParam>}) {
            Sample<TypeParam> sample(n, 520, {alpha, 0}, {0, 0});
            EXPECT_TRUE(sample.verdict(sample.c).right()) << n << " " << alpha;
            sample.c[3] =
                TypeParam(sample.c[3] + from_scalar<scalar_t<TypeParam>>({10 * alpha, 0}));
            EXPECT_FALSE(sample.verdict(sample.c).right()) << n << " " << alpha;
        }
}

TYPED_TEST(Verify, WhatUnderflowsIsRight) {
    const double least = is_double<TypeParam> ? std::numeric_limits<double>::denorm_min()
                                              : std::numeric_limits<float>::denorm_min();
    for (const double alpha : {3 * least, 100 * least})
        for (const index_t n : {index_t{20}, large_size<TypeParam>}) {
            const Sample<TypeParam> sample(n, 520, {alpha, 0}, {0, 0});
            EXPECT_TRUE(sample.verdict(sample.c).right())
                << n << " " << alpha << " " << sample.verdict(sample.c).error;
        }
}

TEST(VerifyEmpty, NothingIsReadOfNothing) {
    GemmArgs args;
    args.n = index_t{1} << 62, args.k = 5, args.alpha = {1, 0};
    EXPECT_TRUE(verify(args, nullptr).right());
    args.m = 7, args.n = 0;
    EXPECT_TRUE(verify(args, nullptr).right());
}

}  // namespace
}  // namespace gemmill::command
