// SPDX-License-Identifier: Apache-2.0
// GPUs: a step is work in a stream, a wait is an event. Devices of the machine are GPUs, or shares
// of one.
#pragma once

#include <memory>
#include <vector>

#include "backend/gpu/staging.hpp"
#include "backend/gpu_driver.hpp"
#include "exec/backend.hpp"

namespace gemmill {

struct GpuSetup {
    const GpuDriver* driver = nullptr;
    Machine machine;
    std::vector<int> ordinals;  ///< the driver's number of each memory; -1: the host
    StagingSetup staging;
    std::size_t pin = 0;  ///< bytes of host matrices that may be pinned when they are used again
};

/// Several threads may open sessions; they take turns.
class GpuBackend final : public Backend {
  public:
    explicit GpuBackend(GpuSetup setup);
    ~GpuBackend() override;

    const Machine& machine() const noexcept override;
    /// Throws Error(no_device) when a device was lost.
    std::unique_ptr<Session> open(const Plan& plan, const Binding& binding) override;
    void* allocate(MemoryId memory, std::size_t bytes) override;
    void release(void* pointer) noexcept override;
    void copy(void* to, const void* from, std::size_t bytes) override;
    std::int64_t room(MemoryId memory) const override;
    /// A pointer into a GPU that several devices share, and that is none of ours, is the first
    /// device's; managed memory is the host's.
    MemoryId locate(const void* pointer) const noexcept override;

    struct State;

  private:
    std::unique_ptr<State> state_;
};

}  // namespace gemmill
