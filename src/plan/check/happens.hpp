// SPDX-License-Identifier: Apache-2.0
// Which step of a plan surely ends before another one starts.
#pragma once

#include <cstdint>
#include <vector>

#include "gemmill/plan.hpp"

namespace gemmill {

/// Vector clocks over the queues of a plan whose waits all point back.
class HappensBefore {
  public:
    explicit HappensBefore(const Plan& plan);
    bool operator()(StepId earlier, StepId later) const;

  private:
    const Plan& plan_;
    std::size_t queues_;
    std::vector<std::uint32_t> position_;  // of each step in its queue
    std::vector<std::uint32_t> clock_;     // steps x queues: how many of each queue have ended
};

}  // namespace gemmill
