// SPDX-License-Identifier: Apache-2.0
// Elements of 16-bit types as floats, and back.
#pragma once

#include "gemmill/types.hpp"

namespace gemmill {

/// Loops of a known length are what compilers turn into vector instructions.
template <class From, class To>
void convert(const From* from, index_t count, To* to) {
    constexpr index_t chunk = 16;
    for (; count >= chunk; count -= chunk, from += chunk, to += chunk)
        for (index_t i = 0; i < chunk; ++i) to[i] = To(float(from[i]));
    for (index_t i = 0; i < count; ++i) to[i] = To(float(from[i]));
}

}  // namespace gemmill
