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
      pace_(machine.links.size(), 1),
      paces_(memories_, 1),
      leaving_(memories_),
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
        leaving_[m] = static_cast<double>(leaving.size());
        const double all = aggregate_bandwidth(machine_, leaving);
        for (const LinkId link : leaving)
            together_[static_cast<std::size_t>(link)] = all / static_cast<double>(leaving.size());
    }
}

double Traffic::seconds(LinkId id, std::int64_t bytes) const {
    const Link& link = machine_.links[static_cast<std::size_t>(id)];
    const auto more = static_cast<double>(bytes);
    const double rate =
        slowdown(id) > 1 ? together(id) / pace_[static_cast<std::size_t>(id)] : link.bandwidth;
    double longest = (on_link_[static_cast<std::size_t>(id)] + more) / rate;
    for (const ResourceId r : link.resources)
        longest = std::max(longest, (on_resource_[static_cast<std::size_t>(r)] + more) /
                                        machine_.resources[static_cast<std::size_t>(r)].bandwidth);
    return link.latency + longest;
}

double Traffic::drained(LinkId id, double more) const {
    return (on_link_[static_cast<std::size_t>(id)] + more) * slowdown(id) / together(id);
}

void Traffic::note(LinkId id, std::int64_t bytes, double seconds) {
    const double full = together(id);
    if (full <= 0 || bytes <= 0) return;
    const double expected =
        machine_.links[static_cast<std::size_t>(id)].latency + static_cast<double>(bytes) / full;
    constexpr double fresh = 0.25;  // of the last transfer: one alone may be an accident
    double& pace = pace_[static_cast<std::size_t>(id)];
    const double change = fresh * (seconds / expected - pace);
    pace += change;
    const auto from = static_cast<std::size_t>(machine_.links[static_cast<std::size_t>(id)].from);
    paces_[from] += change / leaving_[from];
}

double Traffic::slowdown(LinkId id) const {
    constexpr double least = 1.25;
    const auto from = static_cast<std::size_t>(machine_.links[static_cast<std::size_t>(id)].from);
    const double ratio = pace_[static_cast<std::size_t>(id)] / paces_[from];
    return ratio > least ? ratio : 1;
}

void Traffic::add(LinkId id, double bytes) {
    on_link_[static_cast<std::size_t>(id)] += bytes;
    for (const ResourceId r : machine_.links[static_cast<std::size_t>(id)].resources)
        on_resource_[static_cast<std::size_t>(r)] += bytes;
}

}  // namespace gemmill
