// SPDX-License-Identifier: Apache-2.0
// Kernels for batches of bfloat16.
#include "kernel/cuda/compiled/short.cuh"

namespace gemmill::batch {

template <>
struct Classes<__nv_bfloat16> : ShortClasses<__nv_bfloat16> {};
template struct OfType<__nv_bfloat16>;

}  // namespace gemmill::batch
