// SPDX-License-Identifier: Apache-2.0
// What complex numbers have and real ones do without, and how BLAS multiplies them.
#pragma once

#include <complex>

#include "gemmill/types.hpp"

namespace gemmill {

template <class T>
T conjugate(T x) {
    if constexpr (is_complex(type_of<T>))
        return std::conj(x);
    else
        return x;
}

/// All four products, as Fortran has them: no search for an infinity behind two NaNs, which is what
/// `*` of std::complex does.
template <class T>
T times(T a, T b) {
    if constexpr (is_complex(type_of<T>))
        return T(a.real() * b.real() - a.imag() * b.imag(),
                 a.real() * b.imag() + a.imag() * b.real());
    else
        return a * b;
}

/// beta c for an element of C: nothing is read where beta is 0, and 1 multiplies nothing.
template <class S, class T>
S scaled(S beta, const T& c) {
    if (beta == S(0)) return S(0);
    return beta == S(1) ? S(c) : times(beta, S(c));
}

/// By a factor that has no imaginary part, each part of x alone.
template <class T>
T times_real(T factor, T x) {
    if constexpr (is_complex(type_of<T>))
        return T(factor.real() * x.real(), factor.real() * x.imag());
    else
        return factor * x;
}

/// Without its imaginary part.
template <class T>
T real_part(T x) {
    if constexpr (is_complex(type_of<T>))
        return T(x.real());
    else
        return x;
}

}  // namespace gemmill
