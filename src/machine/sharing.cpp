// SPDX-License-Identifier: Apache-2.0
// Progressive filling: the tightest resource (or a flow's own cap) fixes the rates of its flows,
// what they take is subtracted, and so on.
#include "machine/sharing.hpp"

#include <algorithm>
#include <bit>
#include <concepts>
#include <limits>

namespace gemmill {

namespace {

constexpr std::size_t word_bits = 64;

std::size_t word_of(std::integral auto number) {
    return static_cast<std::size_t>(number) / word_bits;
}
std::uint64_t bit_of(std::integral auto number) {
    return std::uint64_t{1} << (static_cast<std::size_t>(number) % word_bits);
}

/// Visits those of a set in order.
void each_bit(std::span<const std::uint64_t> set, auto visit) {
    for (std::size_t w = 0; w < set.size(); ++w)
        for (std::uint64_t rest = set[w]; rest != 0; rest &= rest - 1)
            visit(w * word_bits + static_cast<std::size_t>(std::countr_zero(rest)));
}

}  // namespace

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
    const std::size_t words = word_of(flows.size() + word_bits - 1);
    if (words > words_) {
        words_ = words;
        users_.assign(use_.size() * words, 0);
    }
    open_.assign(words_, 0);
    touched_.clear();
    for (std::size_t i = 0; i < flows.size(); ++i) {
        open_[word_of(i)] |= bit_of(i);
        for (const ResourceId r : flows[i].resources) {
            Use& use = use_[static_cast<std::size_t>(r)];
            if (use.flows++ == 0) {
                touched_.push_back(r);
                use.left = capacities_[static_cast<std::size_t>(r)];
                std::fill_n(users_of(r), words_, 0);
            }
            users_of(r)[word_of(i)] |= bit_of(i);
        }
    }
}

/// What the scarcest resource has for each of its flows, or the smallest cap.
double Sharing::lowest_level(std::span<const Flow> flows) {
    double level = std::numeric_limits<double>::infinity();
    std::erase_if(touched_,
                  [&](ResourceId r) { return use_[static_cast<std::size_t>(r)].flows == 0; });
    for (const ResourceId r : touched_) {
        const Use& use = use_[static_cast<std::size_t>(r)];
        level = std::min(level, use.left / use.flows);
    }
    each_bit(open_, [&](std::size_t i) { level = std::min(level, flows[i].cap); });
    return level;
}

/// A flow is fixed when it has reached its cap or one of its resources is at the level.
void Sharing::find_fixed(std::span<const Flow> flows, double edge) {
    fixed_.assign(words_, 0);
    each_bit(open_, [&](std::size_t i) {
        if (flows[i].cap <= edge) fixed_[word_of(i)] |= bit_of(i);
    });
    for (const ResourceId r : touched_) {
        const Use& use = use_[static_cast<std::size_t>(r)];
        if (use.left > edge * use.flows) continue;
        for (std::size_t w = 0; w < words_; ++w) fixed_[w] |= users_of(r)[w] & open_[w];
    }
}

void Sharing::fill(std::span<Flow> flows) {
    start_filling(flows);
    while (std::ranges::any_of(open_, [](std::uint64_t word) { return word != 0; })) {
        const double level = lowest_level(flows);
        find_fixed(flows, level * (1 + 1e-12));
        each_bit(fixed_, [&](std::size_t i) {
            flows[i].rate = level;
            open_[word_of(i)] &= ~bit_of(i);
            for (const ResourceId r : flows[i].resources) {
                Use& use = use_[static_cast<std::size_t>(r)];
                use.left = std::max(0.0, use.left - level);
                --use.flows;
            }
        });
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
