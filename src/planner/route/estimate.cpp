// SPDX-License-Identifier: Apache-2.0
// A link is busy until its last transfer ends. A shared resource is busy for the part of the time
// that a transfer takes of it, as if transfers went through it one after the other.
#include "planner/route/estimate.hpp"

#include <algorithm>

namespace gemmill {

Estimate::Estimate(const Machine& machine)
    : machine_(machine),
      link_free_(machine.links.size()),
      resource_free_(machine.resources.size()),
      device_free_(machine.devices.size()),
      arrivals_(machine.memories.size()) {}

double Estimate::end_of(LinkId id, double bytes, double ready) const {
    const Link& link = machine_.links[static_cast<std::size_t>(id)];
    double end = std::max(ready, link_free_[static_cast<std::size_t>(id)]) + link.latency +
                 bytes / link.bandwidth;
    for (const ResourceId r : link.resources) {
        const auto i = static_cast<std::size_t>(r);
        end = std::max(
            end, std::max(ready, resource_free_[i]) + bytes / machine_.resources[i].bandwidth);
    }
    return end;
}

double Estimate::book(LinkId id, double bytes, double ready) {
    const Link& link = machine_.links[static_cast<std::size_t>(id)];
    double& free = link_free_[static_cast<std::size_t>(id)];
    double end = std::max(ready, free) + link.latency + bytes / link.bandwidth;
    for (const ResourceId r : link.resources) {
        const auto i = static_cast<std::size_t>(r);
        double& taken = resource_free_[i];
        taken = std::max(ready, taken) + bytes / machine_.resources[i].bandwidth;
        end = std::max(end, taken);
    }
    return free = end;
}

}  // namespace gemmill
