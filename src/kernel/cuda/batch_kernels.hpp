// SPDX-License-Identifier: Apache-2.0
// The kernels for batches that are compiled in, as the host calls them. All arrays of a batch are
// where the device reads them, and everything goes into a stream of the current device.
#pragma once

#include <cuda_runtime_api.h>

#include <span>
#include <string_view>

#include "kernel/batch_work.hpp"
#include "kernel/cuda/batch_gate.hpp"

namespace gemmill::batch {

inline constexpr int most_devices = 64;

/// Whether a graph captures what goes into the stream, or may do so.
inline bool is_captured(cudaStream_t stream) {
    cudaStreamCaptureStatus status{};
    const auto error = cudaStreamIsCapturing(stream, &status);
    if (error != cudaSuccess) cudaGetLastError();
    return error != cudaSuccess || status != cudaStreamCaptureStatusNone;
}

/// Where a kernel goes, and what it waits for. early: it may begin before the one before it has
/// ended.
struct Slot {
    cudaStream_t stream;
    bool early;
    Gate gate;
    Slot(cudaStream_t in, bool early_ = false, const Gate& behind = {})
        : stream(in), early(early_), gate(behind) {}
};

/// For products of one shape, and one alpha and beta.
struct Kernel {
    std::string_view name;
    int edge;  ///< m and n are at most this; 0: any
    int k;     ///< k is at most this; 0: any
    cudaError_t (*run)(const Batch& batch, Slot slot);
    /// What it would have to do, by so many multiprocessors.
    BatchWork (*work)(const Batch& batch, int processors);
    /// Whether it can make a batch of sizes within its limits; null: any.
    bool (*takes)(const Batch& batch) = nullptr;
};
std::span<const Kernel> kernels_of(Type type);

/// Leading dimensions that all kernels but `far` can take.
bool is_near(const Batch& batch);

/// Products of any shapes: sorted by size on the device, then each class by its own kernel. Memory
/// for the lists is the stream's.
cudaError_t run_variable(const Batch& batch, cudaStream_t stream);
/// The same with as many tiles for each as the largest product has, which must be known.
cudaError_t run_early_end(const Batch& batch, cudaStream_t stream);

/// *found = (product << 8) + BatchArgument of the first bad product, or -1; in device memory.
cudaError_t find_bad(const Batch& batch, long long* found, cudaStream_t stream);

}  // namespace gemmill::batch
