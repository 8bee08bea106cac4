// SPDX-License-Identifier: Apache-2.0
// A Context as what a rank computes with.
#pragma once

#include "base/gpu_shared.hpp"
#include "gemmill/context.hpp"
#include "rank/update/local_kernels.hpp"

namespace gemmill {

/// What a rank may take of its node besides what calls of its Context take.
struct RankRoom {
    std::int64_t device_memory = 0;  ///< bytes for sums on the Context's device
    int threads = 1;                 ///< for copies in host memory
    bool gpu_aware = false;          ///< messages can be sent from the device's memory
    int host_threads = 0;            ///< of the host BLAS, at most; 0: as it is
};

/// Bytes that sums of a rank may take of the Context's device: none without exactly one device that
/// has memory of its own, half of that memory otherwise. Of a Context whose options cap its
/// memory there is nothing: calls may take all that the cap allows.
GEMMILL_API std::int64_t room_for_sums(const Context& context);

/// Memory for sums is freed with what this returns, which must not outlive the Context.
GEMMILL_API LocalKernels rank_kernels(Context& context, const RankRoom& room);

/// Lets the Context's devices copy memory of the caller at full speed as long as the result is
/// kept, which must be less than memory and Context last; null where that cannot be.
GEMMILL_API std::shared_ptr<void> pinned_range(Context& context, void* data, std::int64_t bytes);

/// Memory of the Context's device, which must be its only one, that other processes on the same GPU
/// can open by its name; it must not outlive the Context. Throws Error where that cannot be.
GEMMILL_API std::shared_ptr<std::byte[]> shared_device_memory(Context& context, std::int64_t bytes,
                                                              GpuSharedBlock& name);
/// That of another process.
GEMMILL_API std::shared_ptr<std::byte[]> open_device_memory(Context& context,
                                                            const GpuSharedBlock& name);

/// Host memory that the Context's devices copy at full speed; it must not outlive the Context.
GEMMILL_API std::shared_ptr<std::byte[]> pinned_memory(Context& context, std::int64_t bytes);

}  // namespace gemmill
