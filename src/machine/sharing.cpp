// SPDX-License-Identifier: Apache-2.0
// Progressive filling: the tightest resource (or a flow's own cap) fixes the rates of its flows,
// what they take is subtracted, and so on.
#include "machine/sharing.hpp"

#include <algorithm>
#include <limits>

namespace gemmill {

Sharing::Sharing(std::vector<double> capacities)
    : capacities_(std::move(capacities)), use_(capacities_.size()) {}

void Sharing::share(std::span<Flow> flows) {
    if (flows.size() == 1) {
        Flow& flow = flows.front();
        flow.rate = flow.cap;
        for (const ResourceId r : flow.resources)
            flow.rate = std::min(flow.rate, capacities_[static_cast<std::size_t>(r)]);
        return;
    }
    open_.clear();
    touched_.clear();
    for (Flow& flow : flows) {
        open_.push_back(&flow);
        for (const ResourceId r : flow.resources) {
            Use& use = use_[static_cast<std::size_t>(r)];
            if (use.flows++ == 0) {
                use.left = capacities_[static_cast<std::size_t>(r)];
                touched_.push_back(r);
            }
        }
    }
    while (!open_.empty()) {
        double level = std::numeric_limits<double>::infinity();
        for (const ResourceId r : touched_) {
            const Use& use = use_[static_cast<std::size_t>(r)];
            if (use.flows > 0) level = std::min(level, use.left / use.flows);
        }
        for (const Flow* flow : open_) level = std::min(level, flow->cap);

        // A flow is fixed when it has reached its cap or one of its resources is at the level.
        const double edge = level * (1 + 1e-12);
        const auto fixed = [&](const Flow* flow) {
            return flow->cap <= edge || std::ranges::any_of(flow->resources, [&](ResourceId r) {
                       const Use& use = use_[static_cast<std::size_t>(r)];
                       return use.left <= edge * use.flows;
                   });
        };
        fixed_.clear();
        std::size_t kept = 0;
        for (Flow* flow : open_) {
            if (fixed(flow))
                fixed_.push_back(flow);
            else
                open_[kept++] = flow;
        }
        for (Flow* flow : fixed_) {
            flow->rate = level;
            for (const ResourceId r : flow->resources) {
                Use& use = use_[static_cast<std::size_t>(r)];
                use.left = std::max(0.0, use.left - level);
                --use.flows;
            }
        }
        open_.resize(kept);
    }
    for (const ResourceId r : touched_) use_[static_cast<std::size_t>(r)].flows = 0;
}

double aggregate_bandwidth(const Machine& machine, std::span<const LinkId> links) {
    std::vector<double> capacities;
    for (const Resource& resource : machine.resources) capacities.push_back(resource.bandwidth);
    std::vector<Flow> flows;
    for (const LinkId id : links) {
        const Link& link = machine.links[static_cast<std::size_t>(id)];
        flows.push_back({link.bandwidth, link.resources, 0});
    }
    if (flows.empty()) return 0;
    Sharing(std::move(capacities)).share(flows);
    double sum = 0;
    for (const Flow& flow : flows) sum += flow.rate;
    return sum;
}

double most_bandwidth(const Machine& machine, std::span<const LinkId> links) {
    std::vector<int> users(machine.resources.size(), 0);
    for (const LinkId id : links)
        for (const ResourceId r : machine.links[static_cast<std::size_t>(id)].resources)
            ++users[static_cast<std::size_t>(r)];
    const auto share = [&](ResourceId r) {
        const auto i = static_cast<std::size_t>(r);
        return machine.resources[i].bandwidth / users[i];
    };
    // Each link counts under one resource, the scarcest it uses; any such choice bounds the sum.
    std::vector<double> wanted(machine.resources.size(), 0);
    double sum = 0;
    for (const LinkId id : links) {
        const Link& link = machine.links[static_cast<std::size_t>(id)];
        const auto scarcest = std::ranges::min_element(link.resources, {}, share);
        (scarcest == link.resources.end() ? sum : wanted[static_cast<std::size_t>(*scarcest)]) +=
            link.bandwidth;
    }
    for (std::size_t r = 0; r < wanted.size(); ++r)
        sum += std::min(wanted[r], machine.resources[r].bandwidth);
    return sum;
}

}  // namespace gemmill
