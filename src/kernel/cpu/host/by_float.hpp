// SPDX-License-Identifier: Apache-2.0
// Products of 16-bit types by a kernel for floats.
#pragma once

#include "kernel/kernel.hpp"

namespace gemmill {

/// The temporary blocks of floats have this edge at most; there are three of them.
inline constexpr index_t float_block = 1024;

/// A product of type h or b: blocks of A, B and C become floats, `sgemm` (of type s) multiplies
/// them, and each block of C is rounded once, when all of k is in it.
void gemm_by_float(const GemmArgs& args, void (*sgemm)(const GemmArgs&));

}  // namespace gemmill
