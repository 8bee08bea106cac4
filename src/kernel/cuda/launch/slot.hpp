// SPDX-License-Identifier: Apache-2.0
// Streams, and where a kernel goes in one.
#pragma once

#include <cuda_runtime_api.h>

#include "kernel/cuda/part/gate.hpp"

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

/// The attribute of what is launched so.
inline cudaLaunchAttribute early_launch() {
    cudaLaunchAttribute early{};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    return early;
}

}  // namespace gemmill::batch
