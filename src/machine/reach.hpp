// SPDX-License-Identifier: Apache-2.0
// Which memories a device computes in.
#pragma once

#include "gemmill/machine.hpp"

namespace gemmill {

inline bool is_host(const Machine& machine, MemoryId memory) {
    return machine.memories[static_cast<std::size_t>(memory)].kind == MemoryKind::host;
}

/// Whether what computes in memory `own` can use what lies in `other`: the same memory, or, for a
/// CPU, any memory of the host, pinned or not.
inline bool reaches(const Machine& machine, MemoryId own, MemoryId other) {
    return own == other || (is_host(machine, own) && is_host(machine, other));
}

/// A CPU beside GPUs is asked only for what is plainly gained: what its kernels and the copies of
/// GPUs cost each other in host memory is not in the model.
inline constexpr double worth_the_cpu = 1.02;

/// Whether a device is the host's own: a CPU that computes where the user's matrices lie.
inline bool is_host_device(const Machine& machine, DeviceId device) {
    return is_host(machine, machine.devices[static_cast<std::size_t>(device)].memory);
}

}  // namespace gemmill
