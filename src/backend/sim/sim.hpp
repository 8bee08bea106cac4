// SPDX-License-Identifier: Apache-2.0
// The simulated machine: a step takes the time that the model says, on a virtual clock. When
// operands are bound it also does the arithmetic, on host memory.
#pragma once

#include "backend/arena.hpp"
#include "exec/backend.hpp"
#include "kernel/kernel.hpp"

namespace gemmill {

class SimBackend final : public Backend {
  public:
    explicit SimBackend(Machine machine);
    SimBackend(Machine machine, Kernels kernels, Allocate allocate);

    const Machine& machine() const noexcept override { return machine_; }
    /// With binding.data[2] null only time passes.
    std::unique_ptr<Session> open(const Plan& plan, const Binding& binding) override;
    void* allocate(MemoryId memory, std::size_t bytes) override;
    void release(void* pointer) noexcept override { blocks_.remove(pointer); }
    MemoryId locate(const void* pointer) const noexcept override;
    bool keeps_to_blocks(const void* pointer, std::size_t bytes) const noexcept override {
        return blocks_.keep(pointer, bytes);
    }

  private:
    Machine machine_;
    Kernels kernels_;
    Allocate allocate_;
    Blocks blocks_;
};

}  // namespace gemmill
