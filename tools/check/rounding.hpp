// SPDX-License-Identifier: Apache-2.0
// What rounding, underflow and overflow may do to an element, and whether they did no more.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

#include "gemmill/types.hpp"

namespace gemmill::command {

/// An element in a type where neither it nor a sum of such overflows.
using Number = std::complex<long double>;

template <class T>
Number number(const T& x) {
    if constexpr (is_complex(type_of<T>))
        return {x.real(), x.imag()};
    else
        return {static_cast<long double>(static_cast<scalar_t<T>>(x)), 0};
}

/// alpha or beta as the type has it.
template <class T>
Number factor(const Scalar& x) {
    return number(from_scalar<scalar_t<T>>(x));
}

namespace detail {
template <class T>
struct RealOf {
    using type = T;
};
template <class R>
struct RealOf<std::complex<R>> {
    using type = R;
};
}  // namespace detail
/// What the sums of type T are made of.
template <class T>
using real_t = typename detail::RealOf<scalar_t<T>>::type;

/// The machine epsilon of what elements of type T are summed in, times 2 sqrt(2) when complex.
template <class T>
double epsilon() {
    return (is_complex(type_of<T>) ? 2 * std::sqrt(2.0) : 1) *
           std::numeric_limits<real_t<T>>::epsilon();
}

/// The largest finite element.
template <class T>
long double largest() {
    if constexpr (type_of<T> == Type::h) return 65504;
    if constexpr (type_of<T> == Type::b) return 0x1.FEp127L;
    return std::numeric_limits<real_t<T>>::max();
}

/// What underflow may take from a sum of k terms that are made of numbers of moderate size.
template <class T>
long double underflow(index_t k) {
    return 4 * static_cast<long double>(k + 2) * std::numeric_limits<real_t<T>>::denorm_min();
}

/// A sum, that of its terms' sizes, and how far partial sums of real terms get up and down.
struct Sum {
    Number value = 0;
    long double size = 0, up = 0, down = 0;

    void add(const Number& term) {
        value += term;
        size += std::abs(term);
        up += std::max(0.0L, term.real());
        down += std::max(0.0L, -term.real());
    }
};

/// The error that an element may have: `unit` of its size, and `least` where that is small.
struct Allowed {
    long double unit = 0, least = 0;
};

/// In units of what is allowed; infinite for what is not a number.
inline double ratio(long double difference, long double allowed) {
    if (difference == 0) return 0;
    const auto error = static_cast<double>(difference / allowed);
    return std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
}

inline bool is_finite(const Number& x) {
    return std::isfinite(x.real()) && std::isfinite(x.imag());
}

/// Whether sums in some order overflow to this part of an element: real ones to the infinity that
/// partial sums reach, to NaN where they reach both; complex ones to anything.
template <class T>
bool may_become(long double part, const Sum& sum, const Allowed& allowed) {
    const long double limit = largest<T>() / (1 + allowed.unit);
    if constexpr (is_complex(type_of<T>)) return sum.size >= limit;
    const bool up = sum.up >= limit, down = sum.down >= limit;
    return std::isnan(part) ? up && down : part > 0 ? up : down;
}

/// The error of an element against its exact sum; 1 or less is right.
template <class T>
double error_of(const T& element, const Sum& right, const Allowed& allowed) {
    const Number found = number(element);
    const auto part = [&](long double x, long double exact) -> long double {
        if (std::isfinite(x)) return x - exact;
        return may_become<T>(x, right, allowed) ? 0 : std::numeric_limits<long double>::infinity();
    };
    const Number difference(part(found.real(), right.value.real()),
                            part(found.imag(), right.value.imag()));
    return ratio(std::abs(difference), allowed.unit * right.size + allowed.least);
}

}  // namespace gemmill::command
