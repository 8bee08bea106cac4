// SPDX-License-Identifier: Apache-2.0
// GPUs and the CPU as one machine. The CPU is one more device, whose memory is the host's own: its
// kernels take the user's tiles where they lie, and nothing is copied for it.
#pragma once

#include <memory>

#include "backend/gpu/gpu.hpp"
#include "backend/joined/session.hpp"
#include "exec/backend.hpp"

namespace gemmill {

struct JoinedSetup {
    GpuSetup gpus;  ///< with a machine that has GPUs only
    Device cpu;     ///< computes in the memory `host`
    CpuKernels kernels;
};

/// The machine with one more device, the last one, that computes in its memory `host`, and a link,
/// the last one, for copies within it.
Machine with_cpu(Machine gpus, Device cpu);

/// Several threads may open sessions, as those of the GPUs.
class JoinedBackend final : public Backend {
  public:
    explicit JoinedBackend(JoinedSetup setup);

    const Machine& machine() const noexcept override { return machine_; }
    bool lost(DeviceId device) const noexcept override;
    /// Throws as GpuBackend::open(), and Error(out_of_memory) when there is no thread.
    std::unique_ptr<Session> open(const Plan& plan, const Binding& binding) override;
    void* allocate(MemoryId memory, std::size_t bytes) override;
    void release(void* pointer) noexcept override { gpus_.release(pointer); }
    void copy(void* to, const void* from, std::size_t bytes) override;
    std::int64_t room(MemoryId memory) const override { return gpus_.room(memory); }
    MemoryId locate(const void* pointer) const noexcept override { return gpus_.locate(pointer); }
    bool keeps_to_blocks(const void* pointer, std::size_t bytes) const noexcept override;

    /// The GPUs alone.
    GpuBackend& gpus() noexcept { return gpus_; }

  private:
    Machine machine_;
    CpuKernels kernels_;
    GpuBackend gpus_;
};

}  // namespace gemmill
