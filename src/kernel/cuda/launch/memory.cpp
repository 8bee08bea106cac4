// SPDX-License-Identifier: Apache-2.0
#include "kernel/cuda/launch/memory.hpp"

#include <array>
#include <atomic>
#include <cstdint>

#include "kernel/cuda/launch/slot.hpp"

namespace gemmill::batch {
namespace {

/// Null: the device has no pools, or there is none yet and a graph that captures the stream would
/// be lost if one was made.
cudaMemPool_t pool_of(int device, cudaStream_t stream) {
    constexpr std::uint64_t kept = std::uint64_t{1} << 30;
    static std::array<std::atomic<cudaMemPool_t>, most_devices> pools{};
    std::atomic<cudaMemPool_t>& known = pools[static_cast<std::size_t>(device % most_devices)];
    if (const cudaMemPool_t pool = known.load()) return pool;
    if (is_captured(stream)) return nullptr;
    cudaMemPoolProps props{};
    props.allocType = cudaMemAllocationTypePinned;
    props.location = {cudaMemLocationTypeDevice, device};
    cudaMemPool_t made = nullptr;
    if (cudaMemPoolCreate(&made, &props) != cudaSuccess) return nullptr;
    std::uint64_t bytes = kept;
    cudaMemPoolSetAttribute(made, cudaMemPoolAttrReleaseThreshold, &bytes);
    cudaMemPool_t first = nullptr;
    if (known.compare_exchange_strong(first, made)) return made;
    cudaMemPoolDestroy(made);
    return first;
}

}  // namespace

cudaError_t allocate(void** memory, std::size_t bytes, cudaStream_t stream) {
    int device = 0;
    if (const auto e = cudaGetDevice(&device)) return e;
    if (const cudaMemPool_t pool = pool_of(device, stream))
        return cudaMallocFromPoolAsync(memory, bytes, pool, stream);
    return cudaMallocAsync(memory, bytes, stream);
}

}  // namespace gemmill::batch
