// SPDX-License-Identifier: Apache-2.0
// What the CPU reaches beside GPUs. Its part of the target is thin where it is slow, and a host
// BLAS does little but pack then: the rate of large squares, or of what the CPU could do at its
// clock, is another one.
#pragma once

#include "backend/joined/session.hpp"
#include "gemmill/types.hpp"

namespace gemmill {

/// Sizes of the product that is measured.
struct ThinProduct {
    index_t m = 4096, n = 128, k = 512;
};
/// flop/s of doubles: the fastest of three calls after one that starts threads.
double measured_rate(const CpuKernels& cpu, const ThinProduct& thin = {});

/// Cores that are left to submit to GPUs and to see what they have done.
int cores_left(int cores);

}  // namespace gemmill
