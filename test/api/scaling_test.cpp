// SPDX-License-Identifier: Apache-2.0
// beta C where C has infinities and NaN: one rule, whoever scales C and when. All four products are
// made, 1 multiplies nothing, 0 reads nothing.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <functional>
#include <limits>
#include <vector>

#include "gemmill/gemmill.hpp"

namespace gemmill::test {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr index_t n = 12;

template <class T>
std::vector<T> odd_values() {
    using R = typename T::value_type;
    std::vector<T> all;
    for (const double re : {1.0, -0.0, inf, -inf, nan})
        for (const double im : {2.0, 0.0, inf, -inf, nan})
            all.emplace_back(static_cast<R>(re), static_cast<R>(im));
    return all;
}

/// beta c + n by hand.
template <class T>
T wanted(T beta, T c) {
    const T sum(n);
    if (beta == T(0)) return sum;
    if (beta == T(1)) return sum + c;
    return sum + T(beta.real() * c.real() - beta.imag() * c.imag(),
                   beta.real() * c.imag() + beta.imag() * c.real());
}

template <class R>
bool same(R x, R y) {
    return x == y || (std::isnan(x) && std::isnan(y));
}

/// C = A B + beta C with ones in A and B.
template <class T>
using Way = std::function<void(T beta, const T* ones, T* c)>;

template <class T>
void expect_one_rule(const char* name, const Way<T>& way) {
    const std::vector<T> values = odd_values<T>(), ones(n * n, T(1));
    for (const T beta : {T(-1, -0.0), T(0.5, 0), T(1, 0), T(0, 0), T(2, -3), T(0, 1), T(-1, 0)}) {
        std::vector<T> c(n * n);
        for (std::size_t i = 0; i < c.size(); ++i) c[i] = values[i % values.size()];
        way(beta, ones.data(), c.data());
        for (std::size_t i = 0; i < c.size(); ++i) {
            const T old = values[i % values.size()], want = wanted(beta, old);
            EXPECT_TRUE(same(c[i].real(), want.real()) && same(c[i].imag(), want.imag()))
                << name << " beta " << beta << " c " << old << " gives " << c[i] << ", not "
                << want;
        }
    }
}

Options options_for(const char* devices, const char* late) {
    Options options;
    options.devices = devices;
    options.late_c = late;
    options.tile = 5;
    return options;
}

template <class T>
class Scaling : public ::testing::Test {
  protected:
    static Way<T> gemm_on(Context& context, index_t k = n) {
        return [&context, k](T beta, const T* ones, T* c) {
            const T alpha(static_cast<typename T::value_type>(n / k));
            gemm<T>(context, Layout::ColMajor, Op::NoTrans, Op::Trans, n, n, k, alpha, ones, n,
                    ones, n, beta, c, n);
        };
    }
};
using ComplexTypes = ::testing::Types<std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(Scaling, ComplexTypes);

TYPED_TEST(Scaling, products_on_the_host_and_with_early_and_late_c) {
    Context host(options_for("cpu", "")), early(options_for("cpu:2", "never")),
        late(options_for("cpu:2", "always"));
    expect_one_rule("host", this->gemm_on(host));
    expect_one_rule("early", this->gemm_on(early));
    expect_one_rule("late", this->gemm_on(late));
}

/// k of one tile too: then a late C is added to one product.
TYPED_TEST(Scaling, products_with_little_k) {
    Context late(options_for("cpu:1", "always"));
    expect_one_rule("late", this->gemm_on(late, 3));
}

TYPED_TEST(Scaling, symm_with_early_and_late_c) {
    using T = TypeParam;
    for (const char* late : {"never", "always"}) {
        Context context(options_for("cpu:2", late));
        expect_one_rule<T>(late, [&](T beta, const T* ones, T* c) {
            symm<T>(context, Layout::ColMajor, Side::Left, Uplo::Lower, n, n, T(1), ones, n, ones,
                    n, beta, c, n);
        });
    }
}

TYPED_TEST(Scaling, batches) {
    using T = TypeParam;
    Context context(options_for("cpu", ""));
    expect_one_rule<T>("batch", [&](T beta, const T* ones, T* c) {
        gemm_strided<T>(context, Layout::ColMajor, Op::NoTrans, Op::NoTrans, n, 2, n, T(1), ones, n,
                        0, ones, n, 0, beta, c, n, 2 * n, n / 2);
    });
}

/// Without a product C is only scaled.
TYPED_TEST(Scaling, nothing_to_add) {
    using T = TypeParam;
    const std::vector<T> values = odd_values<T>();
    const T beta(-1, -0.0);
    for (const char* devices : {"cpu", "cpu:2"}) {
        Context context(options_for(devices, ""));
        for (const bool batch : {false, true}) {
            std::vector<T> c = values;
            const auto count = static_cast<index_t>(c.size());
            if (batch)
                gemm_strided<T>(context, Layout::ColMajor, Op::NoTrans, Op::NoTrans, 1, 1, 0, T(1),
                                nullptr, 1, 0, nullptr, 1, 0, beta, c.data(), 1, 1, count);
            else
                gemm<T>(context, Layout::ColMajor, Op::NoTrans, Op::NoTrans, count, 1, 0, T(1),
                        nullptr, count, nullptr, 1, beta, c.data(), count);
            for (std::size_t i = 0; i < c.size(); ++i) {
                const T want = wanted(beta, values[i]) - T(n);
                EXPECT_TRUE(same(c[i].real(), want.real()) && same(c[i].imag(), want.imag()))
                    << devices << " " << values[i] << " gives " << c[i] << ", not " << want;
            }
        }
    }
}

/// What the triangular routines and gemmt make of a temporary.
TYPED_TEST(Scaling, gemmt_of_the_host) {
    using T = TypeParam;
    Context context(options_for("cpu", ""));
    for (const Uplo uplo : {Uplo::Lower, Uplo::Upper}) {
        std::vector<T> c(n * n, T(1, inf)), ones(n * n, T(1));
        gemmt<T>(context, Layout::ColMajor, uplo, Op::NoTrans, Op::NoTrans, n, n, T(1), ones.data(),
                 n, ones.data(), n, T(-1, -0.0), c.data(), n);
        const T want = wanted(T(-1, -0.0), T(1, inf));
        for (index_t i = 0; i < n; ++i) {
            const T diagonal = c[static_cast<std::size_t>(i * (n + 1))];
            EXPECT_TRUE(same(diagonal.real(), want.real()) && same(diagonal.imag(), want.imag()))
                << diagonal << " and not " << want;
        }
    }
}

}  // namespace
}  // namespace gemmill::test
