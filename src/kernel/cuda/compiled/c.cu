// SPDX-License-Identifier: Apache-2.0
// Kernels for batches of complex floats.
#define GEMMILL_TUNED_KERNELS "kernel/cuda/tuned/tuned_c.inc"
#include "kernel/cuda/compiled/complex.cuh"

namespace gemmill::batch {

template <>
struct Classes<cuFloatComplex> : ComplexClasses<cuFloatComplex> {};
template struct OfType<cuFloatComplex>;

}  // namespace gemmill::batch
