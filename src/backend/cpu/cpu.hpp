// SPDX-License-Identifier: Apache-2.0
// The CPU as several devices, each with memory and worker threads of its own. Copies really copy.
#pragma once

#include <memory>

#include "backend/arena.hpp"
#include "exec/backend.hpp"
#include "kernel/kernel.hpp"

namespace gemmill {

struct CpuSetup {
    Machine machine;  ///< cpu_machine(...), or anything that the host's memory can stand for
    Kernels kernels;
    int threads = 2;  ///< workers of each device: one can copy while the other computes
    Allocate allocate = allocate_host;
};

/// Several threads may open sessions; they take turns.
class CpuBackend final : public Backend {
  public:
    explicit CpuBackend(CpuSetup setup);
    ~CpuBackend() override;

    const Machine& machine() const noexcept override;
    std::unique_ptr<Session> open(const Plan& plan, const Binding& binding) override;
    void* allocate(MemoryId memory, std::size_t bytes) override;
    void release(void* pointer) noexcept override;
    MemoryId locate(const void* pointer) const noexcept override;
    bool keeps_to_blocks(const void* pointer, std::size_t bytes) const noexcept override;

    struct State;

  private:
    std::unique_ptr<State> state_;
};

}  // namespace gemmill
