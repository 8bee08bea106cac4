// SPDX-License-Identifier: Apache-2.0
// How kernels for batches are launched: as many blocks as run at once, or fewer.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>

#include "gemmill/types.hpp"
#include "kernel/cuda/launch/slot.hpp"

namespace gemmill::batch {

/// Bytes of shared memory of a block, and the most that the kernel is ever launched with.
struct SharedBytes {
    std::size_t now, most;
    SharedBytes(std::size_t always) : now(always), most(always) {}
    SharedBytes(std::size_t now_, std::size_t most_) : now(now_), most(most_) {}
};

/// Blocks of a kernel that the current device runs at once; asked again for other shared memory.
template <auto kernel>
cudaError_t blocks_at_once(int threads, SharedBytes shared, int& blocks) {
    constexpr int bits = 32;  // bytes above, blocks below
    static std::array<std::atomic<std::uint64_t>, most_devices> known{};
    int device = 0;
    if (const auto error = cudaGetDevice(&device)) return error;
    std::atomic<std::uint64_t>& kept = known[static_cast<std::size_t>(device % most_devices)];
    const std::uint64_t last = kept.load(std::memory_order_relaxed);
    blocks = static_cast<int>(last & 0xffffffff);
    if (blocks > 0 && last >> bits == shared.now) return cudaSuccess;
    const auto bytes = static_cast<int>(shared.most);
    if (const auto error =
            cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes))
        return error;
    int of_one = 0, processors = 0;
    if (const auto error =
            cudaOccupancyMaxActiveBlocksPerMultiprocessor(&of_one, kernel, threads, shared.now))
        return error;
    if (const auto error =
            cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device))
        return error;
    blocks = std::max(1, of_one * processors);
    kept.store(static_cast<std::uint64_t>(shared.now) << bits | static_cast<std::uint64_t>(blocks),
               std::memory_order_relaxed);
    return cudaSuccess;
}

/// Whether the current device lets kernels begin early: Hopper and later do.
inline bool has_early_launch() {
    constexpr int hopper = 9;
    int device = 0, major = 0;
    return cudaGetDevice(&device) == cudaSuccess &&
           cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) ==
               cudaSuccess &&
           major >= hopper;
}

/// `needed` blocks would have a piece of work each.
template <auto kernel, class... Args>
cudaError_t launch(index_t needed, int threads, SharedBytes shared, Slot slot,
                   const Args&... args) {
    if (needed == 0) return cudaSuccess;
    int blocks = 0;
    if (const auto error = blocks_at_once<kernel>(threads, shared, blocks)) return error;
    cudaLaunchAttribute early = early_launch();
    cudaLaunchConfig_t config{};
    config.gridDim = static_cast<unsigned>(std::min<index_t>(needed, blocks));
    config.blockDim = static_cast<unsigned>(threads);
    config.dynamicSmemBytes = shared.now;
    config.stream = slot.stream;
    config.attrs = &early;
    config.numAttrs = slot.early ? 1 : 0;
    return cudaLaunchKernelEx(&config, kernel, args...);
}

inline index_t parts(index_t whole, index_t part) { return (whole + part - 1) / part; }
inline constexpr index_t any_number = index_t{1} << 31;

}  // namespace gemmill::batch
