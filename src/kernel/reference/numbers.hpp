// SPDX-License-Identifier: Apache-2.0
// What complex numbers have and real ones do without.
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

/// Without its imaginary part.
template <class T>
T real_part(T x) {
    if constexpr (is_complex(type_of<T>))
        return T(x.real());
    else
        return x;
}

}  // namespace gemmill
