// SPDX-License-Identifier: Apache-2.0
// The first thing that a kernel for batches of one shape looks at.
#pragma once

#include "kernel/cuda/part/gate.hpp"
#include "kernel/cuda/part/ptx.cuh"

namespace gemmill::batch {

/// Whether the kernel is to end at once, all threads of it. What is behind a gate may begin before
/// the kernel ends that writes the word, or that must not run beside it: it waits here.
__device__ inline bool is_shut(const Gate& gate) {
    return must_end(gate.word, gate.mark, gate.if_marked);
}

}  // namespace gemmill::batch
