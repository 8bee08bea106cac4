// SPDX-License-Identifier: Apache-2.0
#include "backend/joined/joined.hpp"

#include <utility>

#include "gemmill/error.hpp"

namespace gemmill {

Machine with_cpu(Machine gpus, Device cpu) {
    cpu.memory = find_memory(gpus, "host");
    require(cpu.memory >= 0, Code::no_device, "a memory called host",
            "the CPU has no memory to compute in");
    // Sums that the CPU makes beside the user's matrix go back by a copy, which reads and writes.
    if (cpu.bandwidth > 0)
        gpus.links.push_back({.from = cpu.memory,
                              .to = cpu.memory,
                              .bandwidth = cpu.bandwidth / 2,
                              .latency = cpu.launch,
                              .resources = {},
                              .origin = cpu.origin});
    gpus.devices.push_back(std::move(cpu));
    return gpus;
}

JoinedBackend::JoinedBackend(JoinedSetup setup)
    : machine_(with_cpu(setup.gpus.machine, std::move(setup.cpu))),
      kernels_(std::move(setup.kernels)),
      gpus_(std::move(setup.gpus)) {}

/// The CPU, which comes last, never is.
bool JoinedBackend::lost(DeviceId device) const noexcept {
    return device < std::ssize(gpus_.machine().devices) && gpus_.lost(device);
}

std::unique_ptr<Session> JoinedBackend::open(const Plan& plan, const Binding& binding) {
    return open_joined_session(gpus_, kernels_, plan, binding);
}

void* JoinedBackend::allocate(MemoryId memory, std::size_t bytes) {
    return gpus_.allocate(memory, bytes);
}

void JoinedBackend::copy(void* to, const void* from, std::size_t bytes) {
    gpus_.copy(to, from, bytes);
}

bool JoinedBackend::keeps_to_blocks(const void* pointer, std::size_t bytes) const noexcept {
    return gpus_.keeps_to_blocks(pointer, bytes);
}

}  // namespace gemmill
