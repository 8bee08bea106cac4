// SPDX-License-Identifier: Apache-2.0
#include "schedule/memory/traffic.hpp"

#include <algorithm>

#include "machine/sharing.hpp"

namespace gemmill {

Traffic::Traffic(const Machine& machine)
    : machine_(machine),
      memories_(machine.memories.size()),
      links_(memories_ * memories_, -1),
      together_(machine.links.size()),
      on_link_(machine.links.size()),
      on_resource_(machine.resources.size()) {
    for (std::size_t l = machine.links.size(); l-- > 0;) {
        const Link& link = machine.links[l];
        links_[static_cast<std::size_t>(link.from) * memories_ +
               static_cast<std::size_t>(link.to)] = static_cast<LinkId>(l);
    }
    share_out();
}

/// Links that leave one memory, all at once.
void Traffic::share_out() {
    for (std::size_t m = 0; m < memories_; ++m) {
        std::vector<LinkId> leaving;
        for (std::size_t to = 0; to < memories_; ++to)
            if (const LinkId link = links_[m * memories_ + to]; link >= 0 && to != m)
                leaving.push_back(link);
        const double all = aggregate_bandwidth(machine_, leaving);
        for (const LinkId link : leaving)
            together_[static_cast<std::size_t>(link)] = all / static_cast<double>(leaving.size());
    }
}

double Traffic::seconds(LinkId id, std::int64_t bytes) const {
    const Link& link = machine_.links[static_cast<std::size_t>(id)];
    const auto more = static_cast<double>(bytes);
    double longest = (on_link_[static_cast<std::size_t>(id)] + more) / link.bandwidth;
    for (const ResourceId r : link.resources)
        longest = std::max(longest, (on_resource_[static_cast<std::size_t>(r)] + more) /
                                        machine_.resources[static_cast<std::size_t>(r)].bandwidth);
    return link.latency + longest;
}

void Traffic::add(LinkId id, double bytes) {
    on_link_[static_cast<std::size_t>(id)] += bytes;
    for (const ResourceId r : machine_.links[static_cast<std::size_t>(id)].resources)
        on_resource_[static_cast<std::size_t>(r)] += bytes;
}

}  // namespace gemmill
