// SPDX-License-Identifier: Apache-2.0
// Kernels for batches of complex floats.
#include "kernel/cuda/batch_complex.cuh"

namespace gemmill::batch {

template <>
struct Classes<cuFloatComplex> : ComplexClasses<cuFloatComplex> {};
template struct OfType<cuFloatComplex>;

}  // namespace gemmill::batch
