// SPDX-License-Identifier: Apache-2.0
// When a step may start: the rule of queues and waits, kept once for the clock and the backends.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gemmill/plan.hpp"

namespace gemmill {

/// Steps are submitted in issue order and completed in any order that the rule allows. Both report
/// the steps that may start now by appending them to `startable`.
class Order {
  public:
    /// `steps` is how many are likely.
    explicit Order(std::size_t queues, std::size_t steps = 0) : last_(queues, -1), nodes_(steps) {
        edges_.reserve(3 * steps);
    }

    /// Each wait must have been submitted before, or belong to a step that never will be: then the
    /// step never starts.
    void submit(StepId step, QueueId queue, std::span<const StepId> waits,
                std::vector<StepId>& startable);
    void complete(StepId step, std::vector<StepId>& startable);

  private:
    struct Node {
        std::int32_t missing = 0;      // steps that must complete first
        std::int32_t dependents = -1;  // list of edges
        bool done = false;
    };
    struct Edge {
        StepId to;
        std::int32_t next;
    };
    bool depend(StepId step, StepId on);
    Node& node(StepId step) {
        const auto index = static_cast<std::size_t>(step);
        if (index >= nodes_.size()) nodes_.resize(2 * index + 1);
        return nodes_[index];
    }

    std::vector<StepId> last_;  // last submitted step of each queue
    std::vector<Node> nodes_;
    std::vector<Edge> edges_;
};

}  // namespace gemmill
