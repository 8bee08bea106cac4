// SPDX-License-Identifier: Apache-2.0
// What the kernels of a type are for the host.
#pragma once

#include <span>

#include "kernel/cuda/fitted/fittable.hpp"
#include "kernel/cuda/many_shapes/sort.cuh"
#include "kernel/cuda/one_shape/kernel.hpp"

namespace gemmill::batch {

/// What a file of a type provides.
template <class T>
struct OfType {
    static std::span<const Kernel> kernels();
    static std::span<const Fittable> fits();
    static index_t room_for_jobs(const Batch& x);
    static cudaError_t classes(const Batch& x, const Sorted& s, cudaStream_t stream);
    static cudaError_t early(const Batch& x, cudaStream_t stream);
};

}  // namespace gemmill::batch
