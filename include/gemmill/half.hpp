// SPDX-License-Identifier: Apache-2.0
// The 16-bit element types: how they are stored and what they are as float. They have no arithmetic
// of their own; an expression of them is one of floats.
#pragma once

#include <bit>
#include <cstdint>

namespace gemmill {

namespace detail {

constexpr std::uint16_t half_bits(float x) {
    const auto all = std::bit_cast<std::uint32_t>(x);
    const std::uint32_t sign = (all >> 16) & 0x8000U, size = all & 0x7fffffffU;
    const auto signed_bits = [&](std::uint32_t bits) {
        return static_cast<std::uint16_t>(sign | bits);
    };
    if (size > 0x7f800000U) {  // NaN: what is left of its payload, or some
        const std::uint32_t payload = (size >> 13) & 0x3ffU;
        return signed_bits(0x7c00U | (payload == 0 ? 0x200U : payload));
    }
    if (size >= 0x47800000U) return signed_bits(0x7c00U);  // from 2^16
    if (size < 0x38800000U) {                              // below 2^-14
        // The last bit of 0.5 is worth as much as that of a subnormal: the sum rounds there.
        const float sum = std::bit_cast<float>(size) + 0.5F;
        return signed_bits(std::bit_cast<std::uint32_t>(sum) - 0x3f000000U);
    }
    // A carry out of the fraction moves to the next exponent, and from the last one to Inf.
    return signed_bits((size + 0xfffU + ((size >> 13) & 1U) - (112U << 23)) >> 13);
}

/// By masks, not branches: so a compiler converts several at once.
constexpr float half_value(std::uint16_t bits) {
    const std::uint32_t sign = (bits & 0x8000U) << 16, size = bits & 0x7fffU;
    const std::uint32_t is_small = 0U - static_cast<std::uint32_t>(size < 0x400U);
    const std::uint32_t is_special = 0U - static_cast<std::uint32_t>(size >= 0x7c00U);
    const auto subnormal = std::bit_cast<std::uint32_t>(
        static_cast<float>(static_cast<std::int32_t>(size)) * 0x1p-24F);
    // The exponent of Inf and NaN is all ones in both types.
    const std::uint32_t normal = (size << 13) + (112U << 23) + ((112U << 23) & is_special);
    return std::bit_cast<float>(sign | (subnormal & is_small) | (normal & ~is_small));
}

constexpr std::uint16_t bfloat16_bits(float x) {
    const auto all = std::bit_cast<std::uint32_t>(x);
    const bool is_nan = (all & 0x7fffffffU) > 0x7f800000U;
    const std::uint32_t rounded = all + 0x7fffU + ((all >> 16) & 1U);
    const std::uint32_t payload = (all & 0x7f0000U) == 0 ? 0x400000U : 0U;  // a NaN needs some
    return static_cast<std::uint16_t>((is_nan ? all | payload : rounded) >> 16);
}

constexpr float bfloat16_value(std::uint16_t bits) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

}  // namespace detail

/// IEEE half: 5 bits of exponent, 10 of fraction; the largest number is 65504, the least 2^-24.
/// From float it rounds to the nearest, ties to even; what is too large becomes Inf, a NaN stays
/// one. As a float it is exact, and comes back as the same bits.
struct half {
    std::uint16_t bits;

    half() = default;
    constexpr explicit half(float x) : bits(detail::half_bits(x)) {}
    // NOLINTNEXTLINE(google-explicit-constructor): nothing is lost
    constexpr operator float() const { return detail::half_value(bits); }
};

/// bfloat16: the upper half of a float, so its range with 7 bits of fraction. Converts as half.
struct bfloat16 {
    std::uint16_t bits;

    bfloat16() = default;
    constexpr explicit bfloat16(float x) : bits(detail::bfloat16_bits(x)) {}
    // NOLINTNEXTLINE(google-explicit-constructor): nothing is lost
    constexpr operator float() const { return detail::bfloat16_value(bits); }
};

}  // namespace gemmill
