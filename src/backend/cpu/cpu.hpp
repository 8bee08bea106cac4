// SPDX-License-Identifier: Apache-2.0
// The CPU as several devices, each with memory and worker threads of its own. Copies really copy.
#pragma once

#include <memory>
#include <vector>

#include "backend/arena.hpp"
#include "exec/backend.hpp"
#include "kernel/kernel.hpp"

namespace gemmill {

struct CpuSetup {
    Machine machine;  ///< cpu_machine(...), or anything that the host's memory can stand for
    Kernels kernels;
    int threads = 2;  ///< workers of each device: one can copy while the other computes
    Allocate allocate = allocate_host;
    std::vector<int> threads_of = {};  ///< by device, where they differ; empty: `threads` for each
    /// By device: the rate at which it computes, below 1, as it sleeps for the rest of the time.
    /// Nobody who plans knows. Empty: no device is slowed.
    std::vector<double> rates = {};
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
