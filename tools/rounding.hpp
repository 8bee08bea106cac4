// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <limits>

#include "gemmill/types.hpp"

namespace gemmill::command {

/// The machine epsilon of what elements of type T are summed in, times 2 sqrt(2) when complex.
template <class T>
double epsilon() {
    using S = scalar_t<T>;
    if constexpr (is_complex(type_of<T>))
        return 2 * std::sqrt(2.0) * std::numeric_limits<typename S::value_type>::epsilon();
    else
        return std::numeric_limits<S>::epsilon();
}

}  // namespace gemmill::command
