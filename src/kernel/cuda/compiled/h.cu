// SPDX-License-Identifier: Apache-2.0
// Kernels for batches of halfs.
#include "kernel/cuda/compiled/short.cuh"

namespace gemmill::batch {

template <>
struct Classes<__half> : ShortClasses<__half> {};
template struct OfType<__half>;

}  // namespace gemmill::batch
