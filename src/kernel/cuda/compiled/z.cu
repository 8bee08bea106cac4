// SPDX-License-Identifier: Apache-2.0
// Kernels for batches of complex doubles.
#define GEMMILL_TUNED_KERNELS "kernel/cuda/tuned/tuned_z.inc"
#include "kernel/cuda/compiled/complex.cuh"

namespace gemmill::batch {

template <>
struct Classes<cuDoubleComplex> : ComplexClasses<cuDoubleComplex> {};
template struct OfType<cuDoubleComplex>;

}  // namespace gemmill::batch
