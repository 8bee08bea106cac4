// SPDX-License-Identifier: Apache-2.0
// The words every layer uses: sizes, element types, BLAS flags.
#pragma once

#include <complex>
#include <cstdint>
#include <string_view>

#include "gemmill/half.hpp"

#if defined(GEMMILL_BUILD)
#define GEMMILL_API __attribute__((visibility("default")))
#else
#define GEMMILL_API
#endif

namespace gemmill {

/// Every size, index and leading dimension is 64 bits wide.
using index_t = std::int64_t;

enum class Layout : char { ColMajor = 'C', RowMajor = 'R' };
enum class Op : char { NoTrans = 'N', Trans = 'T', ConjTrans = 'C' };
enum class Uplo : char { Upper = 'U', Lower = 'L' };
enum class Side : char { Left = 'L', Right = 'R' };
enum class Diag : char { NonUnit = 'N', Unit = 'U' };

/// Of level-3 BLAS; Problem says what each computes.
enum class Routine : std::uint8_t {
    gemm,
    gemmt,
    symm,
    hemm,
    syrk,
    herk,
    syr2k,
    her2k,
    trmm,
    trsm,
};

/// Element types by their BLAS letter; h is IEEE half and b is bfloat16, whose sums are in float.
enum class Type : std::uint8_t { s, d, c, z, h, b };
inline constexpr int type_count = 6;

constexpr index_t bytes_of(Type t) {
    constexpr index_t bytes[type_count] = {4, 8, 8, 16, 2, 2};
    return bytes[static_cast<int>(t)];
}

constexpr bool is_complex(Type t) { return t == Type::c || t == Type::z; }

/// h and b: stored in 16 bits, computed in float.
constexpr bool is_short(Type t) { return t == Type::h || t == Type::b; }

constexpr char letter_of(Type t) { return "sdczhb"[static_cast<int>(t)]; }

/// Floating point operations of one multiply-add of this type.
constexpr double flops_per_fma(Type t) { return is_complex(t) ? 8.0 : 2.0; }

template <class T>
struct TypeOf;
template <>
struct TypeOf<float> {
    static constexpr Type value = Type::s;
};
template <>
struct TypeOf<double> {
    static constexpr Type value = Type::d;
};
template <>
struct TypeOf<std::complex<float>> {
    static constexpr Type value = Type::c;
};
template <>
struct TypeOf<std::complex<double>> {
    static constexpr Type value = Type::z;
};
template <>
struct TypeOf<half> {
    static constexpr Type value = Type::h;
};
template <>
struct TypeOf<bfloat16> {
    static constexpr Type value = Type::b;
};
template <class T>
inline constexpr Type type_of = TypeOf<T>::value;

/// What alpha, beta and sums of T are.
template <class T>
struct ScalarOf {
    using type = T;
};
template <>
struct ScalarOf<half> {
    using type = float;
};
template <>
struct ScalarOf<bfloat16> {
    using type = float;
};
template <class T>
using scalar_t = typename ScalarOf<T>::type;

/// alpha or beta of any type; float and double pass through unchanged.
struct Scalar {
    double re = 0;
    double im = 0;
    bool operator==(const Scalar&) const = default;
};

constexpr Scalar to_scalar(double x) { return {x, 0}; }
template <class R>
constexpr Scalar to_scalar(std::complex<R> x) {
    return {static_cast<double>(x.real()), static_cast<double>(x.imag())};
}

template <class T>
constexpr T from_scalar(Scalar x) {
    if constexpr (is_complex(type_of<T>)) {
        using R = typename T::value_type;
        return T(static_cast<R>(x.re), static_cast<R>(x.im));
    } else {
        return T(static_cast<scalar_t<T>>(x.re));
    }
}

/// Calls f.template operator()<T>() with the C++ type of t.
template <class F>
decltype(auto) with_type(Type t, F&& f) {
    switch (t) {
        case Type::s:
            return f.template operator()<float>();
        case Type::c:
            return f.template operator()<std::complex<float>>();
        case Type::z:
            return f.template operator()<std::complex<double>>();
        case Type::h:
            return f.template operator()<half>();
        case Type::b:
            return f.template operator()<bfloat16>();
        default:
            return f.template operator()<double>();
    }
}

}  // namespace gemmill
