// SPDX-License-Identifier: Apache-2.0
#include "plan/bound.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "machine/reach.hpp"
#include "machine/sharing.hpp"
#include "plan/access.hpp"

namespace gemmill {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

MemoryId memory_of(const Machine& machine, DeviceId device) {
    return machine.devices[static_cast<std::size_t>(device)].memory;
}

bool computes_in(const Machine& machine, std::span<const DeviceId> devices, MemoryId memory) {
    return std::ranges::any_of(
        devices, [&](DeviceId d) { return reaches(machine, memory_of(machine, d), memory); });
}

/// Bytes that must leave (or enter) a memory in which no device computes.
std::int64_t forced_bytes(std::span<const Operand> operands, const Goal& goal, MemoryId memory,
                          bool leaving) {
    std::int64_t bytes = 0;
    for (OperandId id = 0; const Operand& operand : operands) {
        const bool moves = leaving ? is_read(goal, id) : id == goal.target;
        if (operand.home == memory && moves) bytes += needed_bytes(operand);
        ++id;
    }
    return bytes;
}

/// Links between a memory and the devices' memories, with those to the host, which tiles may be
/// relayed through.
std::vector<LinkId> links_around(const Machine& machine, std::span<const DeviceId> devices,
                                 MemoryId memory, bool leaving) {
    std::vector<LinkId> links;
    for (std::size_t i = 0; i < machine.links.size(); ++i) {
        const Link& link = machine.links[i];
        const MemoryId near = leaving ? link.from : link.to, far = leaving ? link.to : link.from;
        const bool relay = far != memory && is_host(machine, far);
        if (near == memory && (relay || computes_in(machine, devices, far)))
            links.push_back(static_cast<LinkId>(i));
    }
    return links;
}

/// Links by which something comes into a memory from another, or leaves it.
std::vector<LinkId> links_of(const Machine& machine, MemoryId memory, bool leaving) {
    std::vector<LinkId> links;
    for (std::size_t i = 0; i < machine.links.size(); ++i) {
        const Link& link = machine.links[i];
        if (link.from != link.to && (leaving ? link.from : link.to) == memory)
            links.push_back(static_cast<LinkId>(i));
    }
    return links;
}

/// Resources that every one of the links takes.
std::vector<ResourceId> shared_by_all(const Machine& machine, std::span<const LinkId> links) {
    std::vector<ResourceId> shared;
    if (links.empty()) return shared;
    const auto resources_of = [&](LinkId id) -> const std::vector<ResourceId>& {
        return machine.links[static_cast<std::size_t>(id)].resources;
    };
    for (const ResourceId r : resources_of(links.front()))
        if (std::ranges::all_of(links, [&](LinkId id) {
                return std::ranges::find(resources_of(id), r) != resources_of(id).end();
            }))
            shared.push_back(r);
    return shared;
}

double least_latency(const Machine& machine, std::span<const LinkId> links) {
    double least = infinite;
    for (const LinkId id : links)
        least = std::min(least, machine.links[static_cast<std::size_t>(id)].latency);
    return links.empty() ? 0 : least;
}

}  // namespace

Bytes bytes_bound(const Plan& plan) {
    Bytes bound;
    const auto memories = static_cast<MemoryId>(plan.machine.memories.size());
    for (MemoryId m = 0; m < memories; ++m) {
        const bool host = is_host(plan.machine, m);
        if (computes_in(plan.machine, plan.devices, m)) continue;
        const auto forced = [&](bool leaving) {
            return forced_bytes(plan.operands, plan.goal, m, leaving);
        };
        (host ? bound.h2d : bound.d2d) += forced(true);
        (host ? bound.d2h : bound.d2d) += forced(false);
    }
    return bound;
}

// --- what is known of the goal ------------------------------------------------------------------

TimeBound::TimeBound(const Machine& machine, std::span<const Operand> operands, const Goal& goal)
    : machine_(machine), operands_(operands), goal_(goal), target_(matrix_of(goal.target)) {
    const Operand& target = operands[static_cast<std::size_t>(goal.target)];
    products_ = flops_of(operands, goal) / flops_per_fma(target.type);
    terms_ = static_cast<double>(goal.terms.size());
    bytes_ = static_cast<double>(bytes_of(target.type));
    if (!goal.terms.empty()) {
        const Term& term = goal.terms.front();
        first_ = matrix_of(term.first), second_ = matrix_of(term.second);
        alike_ = std::ranges::all_of(goal.terms, [&](const Term& other) {
            return std::minmax(other.first, other.second) == std::minmax(term.first, term.second);
        });
        const Operand& a = operands[static_cast<std::size_t>(term.first)];
        target_.uses = terms_ * static_cast<double>(term.op_first == Op::NoTrans ? a.cols : a.rows);
    }
    for (std::size_t d = 0; d < machine.devices.size(); ++d)
        limits_.push_back(limits_of(static_cast<DeviceId>(d)));
}

TimeBound::Matrix TimeBound::matrix_of(OperandId id) const {
    const Operand& operand = operands_[static_cast<std::size_t>(id)];
    const Operand& target = operands_[static_cast<std::size_t>(goal_.target)];
    Matrix matrix{id, operand.home};
    matrix.elements =
        static_cast<double>(needed_bytes(operand)) / static_cast<double>(bytes_of(operand.type));
    matrix.positions =
        operand.structure == Structure::symmetric || operand.structure == Structure::hermitian ? 2
                                                                                               : 1;
    for (const Term& term : goal_.terms) {
        if (term.first == id) matrix.uses += static_cast<double>(target.cols);
        if (term.second == id) matrix.uses += static_cast<double>(target.rows);
    }
    // Row i of a triangle has the columns up to i, and column i the rows from i on.
    if (target.triangle != Triangle::none)
        matrix.uses = std::min(matrix.uses, static_cast<double>(target.rows + 1));
    matrix.uses *= matrix.positions;
    return matrix;
}

TimeBound::Limits TimeBound::limits_of(DeviceId d) const {
    const Device& device = machine_.devices[static_cast<std::size_t>(d)];
    const Type type = operands_[static_cast<std::size_t>(goal_.target)].type;
    const auto has = [&](const Matrix& m) { return reaches(machine_, device.memory, m.home); };
    const std::vector<LinkId> in = links_of(machine_, device.memory, false);
    const std::vector<LinkId> out = links_of(machine_, device.memory, true);
    Limits l;
    l.rate = device.peak[static_cast<std::size_t>(type)] / flops_per_fma(type);
    l.in = most_bandwidth(machine_, in) / bytes_;
    l.out = most_bandwidth(machine_, out) / bytes_;
    l.has_target = has(target_);
    l.after = l.has_target ? 0 : least_latency(machine_, out);
    l.launch = device.launch;
    if (goal_.terms.empty()) return l;
    l.has_first = has(first_), l.has_second = has(second_);
    l.missing = (l.has_first ? 0 : 1) + (l.has_second || second_.operand == first_.operand ? 0 : 1);
    l.arrival = machine_.call + machine_.issue + least_latency(machine_, in);
    l.begin = machine_.call + machine_.issue * (l.missing + 1);
    if (l.missing > 0) l.begin = std::max(l.begin, l.arrival);
    l.begin += l.launch;
    return l;
}

// --- what is known of the devices ---------------------------------------------------------------

TimeBound::Team TimeBound::team_of(std::span<const DeviceId> devices) const {
    Team team;
    for (const DeviceId d : devices) team.all.push_back(limits_[static_cast<std::size_t>(d)]);
    const auto least = [&](double Limits::*what) {
        return std::ranges::min(team.all, {}, what).*what;
    };
    team.begin = least(&Limits::begin), team.launch = least(&Limits::launch);
    team.after = least(&Limits::after);
    std::vector<int> missing;
    std::vector<MemoryId> seen;
    for (std::size_t i = 0; i < devices.size(); ++i) {
        const MemoryId memory = memory_of(machine_, devices[i]);
        const bool again = std::ranges::find(seen, memory) != seen.end();
        seen.push_back(memory);
        team.rates.push_back(team.all[i].rate);
        // Two devices in one memory need what is fetched there once.
        missing.push_back(again ? 0 : team.all[i].missing);
        team.apart = team.apart && !again;
    }
    std::ranges::sort(team.rates, std::greater<>());
    std::ranges::sort(missing);
    for (int steps = 0; const int fetches : missing) {
        steps += fetches + 1;
        team.begins.push_back(
            std::max(team.begin, machine_.call + machine_.issue * steps + team.launch));
    }
    for (const MemoryId memory : {first_.home, second_.home, target_.home})
        if (std::ranges::find(team.homes, memory, &Home::memory) == team.homes.end())
            team.homes.push_back(home_of(devices, memory));
    add_shared(devices, team);
    return team;
}

/// What devices without any factor share.
void TimeBound::add_shared(std::span<const DeviceId> devices, Team& team) const {
    std::vector<LinkId> links;
    for (std::size_t i = 0; i < devices.size(); ++i) {
        const Limits& l = team.all[i];
        if (l.has_first || l.has_second) continue;
        const bool none = team.poors++ == 0;
        const std::vector<LinkId> in = links_of(machine_, memory_of(machine_, devices[i]), false);
        links.insert(links.end(), in.begin(), in.end());
        if (none) {
            team.poor = l;
            continue;
        }
        team.poor.out = std::max(team.poor.out, l.out);
        team.poor.has_target = team.poor.has_target || l.has_target;
        for (double Limits::*when :
             {&Limits::arrival, &Limits::begin, &Limits::launch, &Limits::after})
            team.poor.*when = std::min(team.poor.*when, l.*when);
    }
    team.poor_in = most_bandwidth(machine_, links) / bytes_;
}

TimeBound::Home TimeBound::home_of(std::span<const DeviceId> devices, MemoryId memory) const {
    Home home{memory, computes_in(machine_, devices, memory)};
    const std::vector<LinkId> out = links_around(machine_, devices, memory, true);
    const std::vector<LinkId> in = links_around(machine_, devices, memory, false);
    home.out = most_bandwidth(machine_, out) / bytes_;
    home.in = most_bandwidth(machine_, in) / bytes_;
    home.out_latency = least_latency(machine_, out);
    home.in_latency = least_latency(machine_, in);
    const auto forced = [&](bool leaving) {
        return static_cast<double>(forced_bytes(operands_, goal_, memory, leaving)) / bytes_;
    };
    home.forced_out = forced(true), home.forced_in = forced(false);
    if (goal_.terms.empty()) return home;
    if (first_.home == memory) home.each_out += 1 / first_.uses;
    if (second_.home == memory && second_.operand != first_.operand)
        home.each_out += 1 / second_.uses;
    if (target_.home == memory) home.each_in = 1 / target_.uses;
    return home;
}

// --- what can be done by a time -----------------------------------------------------------------

/// Of both factors' positions, the largest product that so many elements that come allow.
double TimeBound::factor_products(const Limits& l, double in) const {
    const double a = first_.elements, b = second_.elements;
    const double both = first_.positions * second_.positions;
    if (first_.operand == second_.operand) {
        const double some = l.has_first ? a : std::min(a, in);
        return both * some * some;
    }
    if (l.has_first || l.has_second)
        return both * (l.has_first ? a : std::min(a, in)) * (l.has_second ? b : std::min(b, in));
    const double some = std::min(a, std::max(in / 2, in - b));
    return both * some * std::min(b, in - some);
}

/// Products on a device that gets `in` elements and gives `out` away.
double TimeBound::most_with(const Limits& l, double in, double out) const {
    if (!alike_) return infinite;
    const double target = l.has_target ? target_.elements : std::min(target_.elements, out);
    double each = l.has_first ? 0 : 1 / first_.uses;  // element for a product
    if (!l.has_second && second_.operand != first_.operand) each += 1 / second_.uses;
    return std::min({terms_ * std::sqrt(factor_products(l, in) * target),
                     each > 0 ? in / each : infinite, target * target_.uses});
}

double TimeBound::most_on(const Limits& l, double until) const {
    const double computing = until - l.after - l.begin;
    if (computing <= 0) return 0;
    const double in = l.in * std::max(0.0, until - l.after - l.launch - l.arrival);
    return std::min(l.rate * computing, most_with(l, in, l.out * computing));
}

/// Devices begin one after the other, as the host issues what they need.
double TimeBound::most_in_turn(const Team& team, double until) const {
    double sum = 0;
    for (std::size_t i = 0; i < team.rates.size(); ++i)
        sum += team.rates[i] * std::max(0.0, until - team.after - team.begins[i]);
    return sum;
}

/// Products of elements that come are a concave function of these: most are made where each device
/// gets the same part of what comes to all.
double TimeBound::most_of_poor(const Team& team, double until) const {
    const Limits& l = team.poor;
    if (team.poors == 0 || until - l.after - l.begin <= 0) return 0;
    const double in = team.poor_in * std::max(0.0, until - l.after - l.launch - l.arrival);
    return team.poors * most_with(l, in / team.poors, l.out * (until - l.after - l.begin));
}

/// Whether the links of a home carry what is made elsewhere.
bool TimeBound::allows(const Team& team, const Home& home, double until) const {
    const double begin = machine_.call + machine_.issue + home.out_latency;
    const double leaving = home.out * std::max(0.0, until - team.after - team.launch - begin);
    const double entering = home.in * std::max(0.0, until - team.begin - home.in_latency);
    if (!home.reached)
        return (home.out <= 0 || home.forced_out <= leaving) &&
               (home.in <= 0 || home.forced_in <= entering);
    if (!alike_) return true;
    double elsewhere = products_;
    for (std::size_t i = 0; i < team.all.size(); ++i) {
        const Limits& l = team.all[i];
        const bool there = (home.memory == first_.home && l.has_first) ||
                           (home.memory == second_.home && l.has_second) ||
                           (home.memory == target_.home && l.has_target);
        if (there) elsewhere -= most_on(l, until);
    }
    return elsewhere <= 0 || ((home.out <= 0 || elsewhere * home.each_out <= leaving) &&
                              (home.in <= 0 || elsewhere * home.each_in <= entering));
}

bool TimeBound::can_end(const Team& team, double until) const {
    double all = 0, rich = 0;
    for (const Limits& l : team.all) {
        const double most = most_on(l, until);
        all += most;
        if (l.has_first || l.has_second) rich += most;
    }
    return all >= products_ && most_in_turn(team, until) >= products_ &&
           (!team.apart || rich + most_of_poor(team, until) >= products_) &&
           std::ranges::all_of(team.homes,
                               [&](const Home& home) { return allows(team, home, until); });
}

/// Of a goal without products.
double TimeBound::forced_seconds(std::span<const DeviceId> devices) const {
    const Home home = home_of(devices, target_.home);
    if (home.reached || home.out <= 0 || home.in <= 0) return 0;
    return std::max(home.forced_out / home.out, home.forced_in / home.in);
}

double TimeBound::shared_seconds(std::span<const DeviceId> devices) const {
    std::vector<double> bytes(machine_.resources.size());
    for (MemoryId m = 0; m < static_cast<MemoryId>(machine_.memories.size()); ++m) {
        if (computes_in(machine_, devices, m)) continue;
        for (const bool leaving : {true, false}) {
            const auto forced = static_cast<double>(forced_bytes(operands_, goal_, m, leaving));
            if (forced == 0) continue;
            for (const ResourceId r :
                 shared_by_all(machine_, links_around(machine_, devices, m, leaving)))
                bytes[static_cast<std::size_t>(r)] += forced;
        }
    }
    double most = 0;
    for (std::size_t r = 0; r < bytes.size(); ++r)
        most = std::max(most, bytes[r] / machine_.resources[r].bandwidth);
    return most;
}

double TimeBound::seconds(std::span<const DeviceId> devices) const {
    if (devices.empty()) return 0;
    const double shared = shared_seconds(devices);
    if (products_ <= 0) return std::max(shared, forced_seconds(devices));
    const Team team = team_of(devices);
    double rate = 0;
    for (const double one : team.rates) rate += one;
    // Between a time that is too short and one that may do; where there is no way at all, any is.
    constexpr double close = 1e-4, forever = 1e12;
    double low = products_ / rate, high = low;
    while (high < forever && !can_end(team, high)) low = std::exchange(high, 2 * high);
    if (high >= forever) return std::max(shared, products_ / rate);
    while (high - low > close * low) {
        const double middle = (low + high) / 2;
        (can_end(team, middle) ? high : low) = middle;
    }
    return std::max(shared, low);
}

double bound_seconds(const Machine& machine, std::span<const Operand> operands, const Goal& goal,
                     std::span<const DeviceId> devices) {
    return TimeBound(machine, operands, goal).seconds(devices);
}

}  // namespace gemmill
