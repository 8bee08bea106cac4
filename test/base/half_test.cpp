// SPDX-License-Identifier: Apache-2.0
// All bit patterns of the 16-bit types, and rounding against what double arithmetic says.
#include "gemmill/half.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "gemmill/types.hpp"
#include "support/random.hpp"

namespace gemmill::test {
namespace {

/// A format as the standard describes it.
struct Format {
    int fraction;         // bits
    int least, greatest;  // exponents of normal numbers
};
template <class T>
constexpr Format format{};
template <>
constexpr Format format<half>{10, -14, 15};
template <>
constexpr Format format<bfloat16>{7, -126, 127};

template <class T>
T from_bits(unsigned bits) {
    T x;
    x.bits = static_cast<std::uint16_t>(bits);
    return x;
}

/// The number that the bits mean.
template <class T>
double value_of(unsigned bits) {
    constexpr Format f = format<T>;
    const unsigned size = bits & 0x7fffU;
    const auto exponent = static_cast<int>(size >> f.fraction) + f.least - 1;
    const unsigned fraction = size & ((1U << f.fraction) - 1U);
    const double sign = bits > 0x7fffU ? -1 : 1;
    if (exponent > f.greatest)
        return fraction == 0 ? sign * std::numeric_limits<double>::infinity()
                             : std::numeric_limits<double>::quiet_NaN();
    const bool normal = exponent >= f.least;
    return sign * std::ldexp(fraction + (normal ? std::ldexp(1, f.fraction) : 0),
                             (normal ? exponent : f.least) - f.fraction);
}

/// The nearest number of the format, ties to even: x in units of its last place is rounded in
/// double, which holds all of this exactly.
template <class T>
double rounded(double x) {
    constexpr Format f = format<T>;
    if (x == 0 || std::isinf(x)) return x;
    const double unit = std::ldexp(1, std::max(std::ilogb(x), f.least) - f.fraction);
    const double result = std::nearbyint(x / unit) * unit;
    if (std::abs(result) < std::ldexp(1, f.greatest + 1)) return result;
    return std::copysign(std::numeric_limits<double>::infinity(), x);
}

template <class T>
::testing::AssertionResult rounds_right(float x) {
    const T got(x);
    const double value = value_of<T>(got.bits), want = rounded<T>(x);
    if (std::isnan(x) ? std::isnan(value) : value == want && std::signbit(value) == std::signbit(x))
        return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << x << " became " << value << ", not " << want;
}

template <class T>
class Half : public ::testing::Test {};
using Types = ::testing::Types<half, bfloat16>;
TYPED_TEST_SUITE(Half, Types);

TYPED_TEST(Half, every_pattern_means_what_it_should) {
    for (unsigned bits = 0; bits < 0x10000U; ++bits) {
        const float x = from_bits<TypeParam>(bits);
        const double want = value_of<TypeParam>(bits);
        ASSERT_TRUE(std::isnan(want) ? std::isnan(x) : x == want) << bits;
        ASSERT_EQ(std::signbit(x), bits > 0x7fffU) << bits;
    }
}

TYPED_TEST(Half, every_pattern_comes_back) {
    for (unsigned bits = 0; bits < 0x10000U; ++bits)
        ASSERT_EQ(TypeParam(float(from_bits<TypeParam>(bits))).bits, bits);
}

/// Between two neighbours: the middle and the floats beside it.
TYPED_TEST(Half, ties_go_to_even) {
    constexpr float inf = std::numeric_limits<float>::infinity();
    for (unsigned bits = 0; bits < 0x10000U; ++bits) {
        const double low = value_of<TypeParam>(bits), high = value_of<TypeParam>(bits + 1);
        if (!std::isfinite(low) || !std::isfinite(high)) continue;
        const auto middle = static_cast<float>((low + high) / 2);
        for (const float x : {middle, std::nextafter(middle, inf), std::nextafter(middle, -inf)})
            ASSERT_TRUE(rounds_right<TypeParam>(x)) << bits;
    }
}

TYPED_TEST(Half, ends_of_the_range) {
    constexpr Format f = format<TypeParam>;
    const auto first_infinite =
        static_cast<float>(std::ldexp(2 - std::ldexp(1, -f.fraction - 1), f.greatest));
    using Float = std::numeric_limits<float>;
    EXPECT_TRUE(std::isinf(float(TypeParam(first_infinite))));
    EXPECT_FALSE(std::isinf(float(TypeParam(std::nextafter(first_infinite, 0.0F)))));
    for (const float x : {0.0F, first_infinite, std::nextafter(first_infinite, 0.0F), Float::max(),
                          Float::infinity(), Float::min(), Float::denorm_min()})
        for (const float sign : {1.0F, -1.0F}) EXPECT_TRUE(rounds_right<TypeParam>(sign * x));
}

TYPED_TEST(Half, any_float) {
    Random random(1);
    for (int i = 0; i < affordable(2'000'000); ++i) {
        const auto bits = static_cast<std::uint32_t>(random.engine()());
        ASSERT_TRUE(rounds_right<TypeParam>(std::bit_cast<float>(bits))) << bits;
    }
    for (int i = 0; i < affordable(500'000); ++i) {
        const auto x = static_cast<float>(
            std::ldexp(random.real(), static_cast<int>(random.between(-30, 18))));
        ASSERT_TRUE(rounds_right<TypeParam>(x)) << x;
    }
}

TYPED_TEST(Half, a_nan_stays_one) {
    for (const std::uint32_t bits :
         {0x7fc00000U, 0x7f800001U, 0xff800001U, 0xffffffffU, 0x7f801000U})
        EXPECT_TRUE(std::isnan(float(TypeParam(std::bit_cast<float>(bits))))) << bits;
}

TYPED_TEST(Half, is_storage) {
    static_assert(sizeof(TypeParam) == 2 && std::is_trivial_v<TypeParam>);
    static_assert(TypeParam(1.5F) == 1.5F && TypeParam(-2) * TypeParam(3) == -6);
    static_assert(!std::is_convertible_v<float, TypeParam>);
}

TEST(Types, each_has_its_own) {
    for (int t = 0; t < type_count; ++t) {
        const auto type = static_cast<Type>(t);
        with_type(type, [&]<class T>() {
            EXPECT_EQ(type_of<T>, type);
            EXPECT_EQ(bytes_of(type), static_cast<index_t>(sizeof(T)));
            EXPECT_EQ(is_short(type), sizeof(T) == 2);
            EXPECT_EQ(from_scalar<T>({0.5, 0}), T(0.5F));
        });
    }
}

}  // namespace
}  // namespace gemmill::test
