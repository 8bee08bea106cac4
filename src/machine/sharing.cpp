// SPDX-License-Identifier: Apache-2.0
// Progressive filling: the tightest resource (or a flow's own cap) fixes the rates of its flows,
// what they take is subtracted, and so on.
#include "machine/sharing.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

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
    fill(flows);
}

/// Who uses what, and nobody has a rate.
void Sharing::start_filling(std::span<const Flow> flows) {
    open_.resize(flows.size());
    std::iota(open_.begin(), open_.end(), std::size_t{0});
    touched_.clear();
    for (const Flow& flow : flows)
        for (const ResourceId r : flow.resources) {
            Use& use = use_of(r);
            if (use.flows++ > 0) continue;
            touched_.push_back(r);
            use.left = capacities_[static_cast<std::size_t>(r)];
        }
}

/// What the scarcest resource has for each of its flows, or the smallest cap.
double Sharing::lowest_level(std::span<const Flow> flows) {
    double level = std::numeric_limits<double>::infinity();
    for (const ResourceId r : touched_) {
        const Use& use = use_of(r);
        if (use.flows > 0) level = std::min(level, use.left / use.flows);
    }
    for (const std::size_t i : open_) level = std::min(level, flows[i].cap);
    return level;
}

/// A flow is fixed when it has reached its cap or one of its resources is at the level.
bool Sharing::is_fixed(const Flow& flow, double edge) {
    return flow.cap <= edge ||
           std::ranges::any_of(flow.resources, [&](ResourceId r) { return use_of(r).full; });
}

void Sharing::fill(std::span<Flow> flows) {
    start_filling(flows);
    while (!open_.empty()) {
        const double level = lowest_level(flows), edge = level * (1 + 1e-12);
        for (const ResourceId r : touched_) {
            Use& use = use_of(r);
            use.full = use.left <= edge * use.flows;
        }
        fixed_.clear();
        std::size_t kept = 0;
        for (const std::size_t i : open_)
            if (is_fixed(flows[i], edge))
                fixed_.push_back(i);
            else
                open_[kept++] = i;
        open_.resize(kept);
        for (const std::size_t i : fixed_) {
            flows[i].rate = level;
            for (const ResourceId r : flows[i].resources) {
                Use& use = use_of(r);
                use.left = std::max(0.0, use.left - level);
                --use.flows;
            }
        }
    }
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
