// SPDX-License-Identifier: Apache-2.0
// Progressive filling: the tightest resource (or a flow's own cap) fixes the rates of its flows,
// what they take is subtracted, and so on.
#include "machine/sharing.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace gemmill {

namespace {

constexpr std::size_t word_bits = 64;
constexpr std::size_t most_found = 1 << 14;  // sets of flows: some megabytes

std::size_t word_of(int number) { return static_cast<std::size_t>(number) / word_bits; }
std::uint64_t bit_of(int number) {
    return std::uint64_t{1} << (static_cast<std::size_t>(number) % word_bits);
}

}  // namespace

Sharing::Sharing(std::vector<double> capacities)
    : capacities_(std::move(capacities)), use_(capacities_.size()) {}

void Sharing::set_capacity(ResourceId resource, double capacity) {
    capacities_[static_cast<std::size_t>(resource)] = capacity;
    std::ranges::fill(table_, Found{});
    found_ = 0;
    bits_.clear();
    rates_.clear();
}

void Sharing::share(std::span<Flow> flows) {
    if (flows.size() == 1) {
        Flow& flow = flows.front();
        flow.rate = flow.cap;
        for (const ResourceId r : flow.resources)
            flow.rate = std::min(flow.rate, capacities_[static_cast<std::size_t>(r)]);
        return;
    }
    if (!set_key(flows)) {
        fill(flows);
        return;
    }
    const std::size_t place = place_of_key();
    if (table_[place].taken) {
        const double* rates = rates_.data() + table_[place].rates;
        for (Flow& flow : flows) flow.rate = rates[rank(flow.number)];
        return;
    }
    fill(flows);
    remember(flows, place);
}

/// False where two flows have the same number, or one has none.
bool Sharing::set_key(std::span<const Flow> flows) {
    std::ranges::fill(key_, 0);
    for (const Flow& flow : flows) {
        if (flow.number < 0) return false;
        const std::size_t word = word_of(flow.number);
        if (word >= key_.size()) {  // all that was found before has shorter keys
            key_.resize(word + 1, 0);
            table_.clear();
        }
        if ((key_[word] & bit_of(flow.number)) != 0) return false;
        key_[word] |= bit_of(flow.number);
    }
    hash_ = 0;
    before_.resize(key_.size());
    int before = 0;
    for (std::size_t w = 0; w < key_.size(); ++w) {
        const std::uint64_t word = key_[w];
        before_[w] = before;
        before += std::popcount(word);
        hash_ = (hash_ ^ word) * 0x9e3779b97f4a7c15u;
        hash_ ^= hash_ >> 29;
    }
    if (table_.empty() || found_ >= most_found || 2 * found_ >= table_.size()) grow();
    return true;
}

/// Where the key is, or would be.
std::size_t Sharing::place_of_key() const {
    const std::size_t mask = table_.size() - 1;
    for (std::size_t i = static_cast<std::size_t>(hash_) & mask;; i = (i + 1) & mask) {
        const Found& found = table_[i];
        if (!found.taken || (found.hash == hash_ &&
                             std::equal(key_.begin(), key_.end(), bits_.data() + found.bits)))
            return i;
    }
}

/// How many numbers of the key are smaller.
std::size_t Sharing::rank(int number) const {
    const std::size_t word = word_of(number);
    const int here = std::popcount(key_[word] & (bit_of(number) - 1));
    return static_cast<std::size_t>(before_[word]) + static_cast<std::size_t>(here);
}

void Sharing::remember(std::span<const Flow> flows, std::size_t place) {
    table_[place] = {bits_.size(), rates_.size(), hash_, true};
    bits_.insert(bits_.end(), key_.begin(), key_.end());
    rates_.resize(rates_.size() + flows.size());
    double* rates = rates_.data() + table_[place].rates;
    for (const Flow& flow : flows) rates[rank(flow.number)] = flow.rate;
    ++found_;
}

/// A larger table, or an empty one where there is too much in it.
void Sharing::grow() {
    constexpr std::size_t least = 256;
    const bool forget = table_.empty() || found_ >= most_found;
    std::vector<Found> old(forget ? least : 2 * table_.size());
    old.swap(table_);
    if (forget) {
        found_ = 0;
        bits_.clear();
        rates_.clear();
        return;
    }
    const std::size_t mask = table_.size() - 1;
    for (const Found& found : old) {
        if (!found.taken) continue;
        std::size_t i = static_cast<std::size_t>(found.hash) & mask;
        while (table_[i].taken) i = (i + 1) & mask;
        table_[i] = found;
    }
}

/// Who uses what, and nobody has a rate.
void Sharing::start_filling(std::span<const Flow> flows) {
    touched_.clear();
    std::size_t uses = 0;
    for (const Flow& flow : flows)
        for (const ResourceId r : flow.resources) {
            Use& use = use_[static_cast<std::size_t>(r)];
            if (use.flows++ == 0) touched_.push_back(r);
            ++uses;
        }
    users_.resize(uses);
    uses = 0;
    for (const ResourceId r : touched_) {
        Use& use = use_[static_cast<std::size_t>(r)];
        use.left = capacities_[static_cast<std::size_t>(r)];
        use.first = use.end = uses;
        uses += static_cast<std::size_t>(use.flows);
    }
    by_cap_.clear();
    for (std::uint32_t i = 0; i < flows.size(); ++i) {
        by_cap_.push_back(i);
        for (const ResourceId r : flows[i].resources)
            users_[use_[static_cast<std::size_t>(r)].end++] = i;
    }
    const auto cap = [&](std::uint32_t i) { return flows[i].cap; };
    if (!std::ranges::is_sorted(by_cap_, {}, cap)) std::ranges::stable_sort(by_cap_, {}, cap);
    next_cap_ = 0;
    done_.assign(flows.size(), false);
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
    while (next_cap_ < by_cap_.size() && done_[by_cap_[next_cap_]]) ++next_cap_;
    return next_cap_ < by_cap_.size() ? std::min(level, flows[by_cap_[next_cap_]].cap) : level;
}

void Sharing::fix(std::uint32_t flow) {
    if (done_[flow]) return;
    done_[flow] = true;
    fixed_.push_back(flow);
}

/// A flow is fixed when it has reached its cap or one of its resources is at the level.
void Sharing::find_fixed(std::span<const Flow> flows, double edge) {
    fixed_.clear();
    for (std::size_t i = next_cap_; i < by_cap_.size() && flows[by_cap_[i]].cap <= edge; ++i)
        fix(by_cap_[i]);
    for (const ResourceId r : touched_) {
        const Use& use = use_[static_cast<std::size_t>(r)];
        if (use.left > edge * use.flows) continue;
        for (std::size_t i = use.first; i < use.end; ++i) fix(users_[i]);
    }
}

void Sharing::fill(std::span<Flow> flows) {
    start_filling(flows);
    for (std::size_t open = flows.size(); open > 0; open -= fixed_.size()) {
        const double level = lowest_level(flows);
        find_fixed(flows, level * (1 + 1e-12));
        for (const std::uint32_t i : fixed_) {
            flows[i].rate = level;
            for (const ResourceId r : flows[i].resources) {
                Use& use = use_[static_cast<std::size_t>(r)];
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
