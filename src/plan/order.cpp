// SPDX-License-Identifier: Apache-2.0
#include "plan/order.hpp"

namespace gemmill {

void Order::depend(StepId step, StepId on) {
    Node& before = node(on);
    if (before.done) return;
    edges_.push_back({step, before.dependents});
    before.dependents = static_cast<std::int32_t>(edges_.size()) - 1;
    ++node(step).missing;
}

void Order::submit(StepId step, QueueId queue, std::span<const StepId> waits,
                   std::vector<StepId>& startable) {
    node(step);
    for (const StepId wait : waits) depend(step, wait);
    StepId& last = last_[static_cast<std::size_t>(queue)];
    if (last >= 0) depend(step, last);
    last = step;
    if (node(step).missing == 0) startable.push_back(step);
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
