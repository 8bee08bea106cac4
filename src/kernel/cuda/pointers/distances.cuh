// SPDX-License-Identifier: Apache-2.0
// Whether the pointers of a batch lie at equal distances, looked at on the GPU by as many threads
// as it has. One thread that finds another pointer marks a word.
#pragma once

#include "kernel/batch_distances.hpp"
#include "kernel/cuda/part/product.cuh"

namespace gemmill::batch {

inline constexpr int distance_threads = 256;

/// A word in device memory, and what is written there where a pointer is elsewhere.
struct Verdict {
    unsigned* word;
    unsigned mark;
};

/// By the first two pointers.
__device__ inline BatchDistances distances_of(const BatchArrays& x) {
    BatchDistances d;
#pragma unroll
    for (int i = 0; i < 3; ++i) {
        if (x.each[i] == nullptr) continue;
        d.each[i].first = reinterpret_cast<std::uint64_t>(x.each[i][0]);
        if (x.count > 1)
            d.each[i].apart = static_cast<std::int64_t>(
                reinterpret_cast<std::uint64_t>(x.each[i][1]) - d.each[i].first);
    }
    return d;
}

/// Of the pointers that this thread looks at.
__device__ inline bool any_elsewhere(const BatchArrays& x, const BatchDistances& d) {
    const index_t step = static_cast<index_t>(gridDim.x) * blockDim.x;
    bool elsewhere = false;
#pragma unroll 4
    for (index_t p = static_cast<index_t>(blockIdx.x) * blockDim.x + threadIdx.x; p < x.count;
         p += step)
#pragma unroll
        for (int i = 0; i < 3; ++i)
            if (x.each[i] != nullptr)
                elsewhere |= reinterpret_cast<std::uint64_t>(x.each[i][p]) !=
                             d.each[i].first + static_cast<std::uint64_t>(p) *
                                                   static_cast<std::uint64_t>(d.each[i].apart);
    return elsewhere;
}

/// True for the first thread that does so.
__device__ inline bool put_mark(const Verdict& to) {
    return *static_cast<const volatile unsigned*>(to.word) != to.mark &&
           atomicExch(to.word, to.mark) != to.mark;
}

/// Are they at equal distances? answer_kernel tells the host.
__global__ void __launch_bounds__(distance_threads)
    look_kernel(const __grid_constant__ BatchArrays x, Verdict to) {
    if (any_elsewhere(x, distances_of(x))) put_mark(to);
}
/// By one thread.
__global__ void __launch_bounds__(1)
    answer_kernel(const __grid_constant__ BatchArrays x, Verdict from, BatchNotice* notice) {
    notice->found = distances_of(x);
    notice->equal = *from.word != from.mark ? 1 : 0;
    __threadfence_system();
    *static_cast<volatile unsigned*>(&notice->answered) = from.mark;
}

/// Are they where they are expected? The host hears of it only if they are not.
__global__ void __launch_bounds__(distance_threads)
    verify_kernel(const __grid_constant__ BatchArrays x,
                  const __grid_constant__ BatchDistances expected, Verdict to,
                  BatchNotice* notice) {
    if (any_elsewhere(x, expected) && put_mark(to))
        *static_cast<volatile unsigned*>(&notice->refuted) = to.mark;
}

}  // namespace gemmill::batch
