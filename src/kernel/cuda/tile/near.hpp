// SPDX-License-Identifier: Apache-2.0
// How far apart columns may be for all kernels but `far`. No header of CUDA here.
#pragma once

#include "gemmill/batch.hpp"

namespace gemmill::batch {

inline constexpr index_t mma_largest_ld = index_t{1} << 23;

/// Leading dimensions that all kernels but `far` can take.
inline bool is_near(const Batch& x) {
    const auto near = [](const BatchMatrix& of) {
        return of.ld.each == nullptr && of.ld.all < mma_largest_ld;
    };
    return near(x.a) && near(x.b) && near(x.c);
}

}  // namespace gemmill::batch
