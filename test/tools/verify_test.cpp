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
    /// The verdict on a sample that f has damaged.
    template <class F>
    static bool passes(const Sample<T>& sample, F f) {
        std::vector<T> c = sample.c;
        f(c);
        return sample.verdict(std::move(c)).right();
    }
};
using Types = testing::Types<float, double, std::complex<float>, std::complex<double>>;
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
    const auto damage = [](auto& c) { c[37] += TypeParam(0.5F); };
    EXPECT_FALSE(this->passes(this->small(), damage));
    EXPECT_FALSE(this->passes(this->large(), damage));
}

TYPED_TEST(Verify, ErrorsOfOppositeSignInARowFail) {
    EXPECT_FALSE(this->passes(this->large(), [](auto& c) {
        c[5] += TypeParam(5);
        c[1005] -= TypeParam(5);
    }));
}

TYPED_TEST(Verify, NotANumberFails) {
    const auto damage = [](auto& c) { c[3] = TypeParam(std::numeric_limits<float>::quiet_NaN()); };
    EXPECT_FALSE(this->passes(this->small(), damage));
    EXPECT_FALSE(this->passes(this->large(), damage));
}

TYPED_TEST(Verify, UntouchedResultFails) {
    EXPECT_FALSE(this->small().verdict(this->small().old).right());
    EXPECT_FALSE(this->large().verdict(this->large().old).right());
}

}  // namespace
}  // namespace gemmill::command
