// SPDX-License-Identifier: Apache-2.0
// The kernels for batches that are compiled in, as the host calls them. All arrays of a batch are
// where the device reads them, and everything goes into a stream of the current device.
#pragma once

#include <span>

#include "kernel/cuda/fitted/fittable.hpp"
#include "kernel/cuda/one_shape/kernel.hpp"
#include "kernel/cuda/tile/near.hpp"

namespace gemmill::batch {

std::span<const Kernel> kernels_of(Type type);
/// Those that can be fitted to shapes (fitted/kernel.hpp).
std::span<const Fittable> fits_of(Type type);

/// Products of any shapes: sorted by size on the device, then each class by its own kernel. Memory
/// for the lists is the stream's.
cudaError_t run_variable(const Batch& batch, cudaStream_t stream);
/// The same with as many tiles for each as the largest product has, which must be known.
cudaError_t run_early_end(const Batch& batch, cudaStream_t stream);

/// *found = (product << 8) + BatchArgument of the first bad product, or -1; in device memory.
cudaError_t find_bad(const Batch& batch, long long* found, cudaStream_t stream);

}  // namespace gemmill::batch
