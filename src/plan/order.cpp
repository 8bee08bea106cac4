// SPDX-License-Identifier: Apache-2.0
#include "plan/order.hpp"

namespace gemmill {

/// Counts a step that `step` waits for, unless it is done.
inline bool Order::depend(StepId step, StepId on) {
    Node& before = node(on);
    if (before.done) return false;
    edges_.push_back({step, before.dependents});
    before.dependents = static_cast<std::int32_t>(edges_.size()) - 1;
    return true;
}

void Order::submit(StepId step, QueueId queue, std::span<const StepId> waits,
                   std::vector<StepId>& startable) {
    std::int32_t missing = 0;
    for (const StepId wait : waits) missing += depend(step, wait) ? 1 : 0;
    StepId& last = last_[static_cast<std::size_t>(queue)];
    if (last >= 0) missing += depend(step, last) ? 1 : 0;
    last = step;
    node(step).missing = missing;
    if (missing == 0) startable.push_back(step);
}

void Order::complete(StepId step, std::vector<StepId>& startable) {
    Node& ended = node(step);
    ended.done = true;
    for (std::int32_t e = ended.dependents; e >= 0;) {
        const Edge edge = edges_[static_cast<std::size_t>(e)];
        if (--nodes_[static_cast<std::size_t>(edge.to)].missing == 0) startable.push_back(edge.to);
        e = edge.next;
    }
}

}  // namespace gemmill
