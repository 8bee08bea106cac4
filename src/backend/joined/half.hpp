// SPDX-License-Identifier: Apache-2.0
// The GPUs' half of a plan: what their session sees of it. Steps keep their numbers; queues of the
// CPU and waits for its steps are left out.
#pragma once

#include <vector>

#include "gemmill/plan.hpp"

namespace gemmill {

class GpuHalf {
  public:
    /// `gpus` is the machine without the CPU, whose device and link come last in the plan's.
    GpuHalf(const Plan& whole, const Machine& gpus);

    const Plan& plan() const noexcept { return plan_; }
    /// Whether the steps of a queue are the CPU's.
    bool is_cpu(QueueId queue) const { return numbers_[static_cast<std::size_t>(queue)] < 0; }
    /// Takes over a step of the whole plan, which has grown perhaps.
    void take(const Plan& whole, StepId id);

  private:
    Plan plan_;
    std::vector<QueueId> numbers_;  // of the whole plan's queues here; -1: the CPU's
};

}  // namespace gemmill
