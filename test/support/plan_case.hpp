// SPDX-License-Identifier: Apache-2.0
// Random problems and options for the planner, and small ready plans.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "gemmill/options.hpp"
#include "gemmill/plan.hpp"
#include "planner/planner.hpp"
#include "planner/policy.hpp"
#include "support/gemm_case.hpp"
#include "support/machines.hpp"

namespace gemmill::test {

inline std::string to_string(const Problem& p) {
    return fmt::format("{}gemm {}{} m={} n={} k={} alpha={} beta={} home={},{},{}",
                       letter_of(p.type), static_cast<char>(p.op_a), static_cast<char>(p.op_b), p.m,
                       p.n, p.k, static_cast<int>(p.alpha), static_cast<int>(p.beta), p.home[0],
                       p.home[1], p.home[2]);
}

inline std::string to_string(const Plan& plan) {
    std::string limits, shapes;
    for (const Operand& o : plan.operands)
        shapes += fmt::format("{}{} {} x {} at {}", shapes.empty() ? "" : ", ", o.name, o.rows,
                              o.cols, o.home);
    for (const auto limit : plan.limit) limits += fmt::format(" {}", limit);
    return fmt::format("{}, {} on {} ({} of its devices), policy {}, limits{}, {} steps",
                       formula_of(plan), shapes, plan.machine.name, plan.devices.size(),
                       plan.policy, limits, plan.steps.size());
}

/// A type that all devices compute.
inline Type random_type(Random& random, const Machine& machine) {
    std::vector<Type> types;
    for (const Type type : host_types)
        if (std::ranges::all_of(machine.devices, [&](const Device& device) {
                return device.peak[static_cast<std::size_t>(type)] > 0;
            }))
            types.push_back(type);
    return random.pick(types);
}

inline Problem random_problem(Random& random, const Machine& machine, index_t largest) {
    constexpr Factor factors[] = {Factor::zero, Factor::one, Factor::general, Factor::general};
    const auto size = [&] { return random.chance(4) ? 0 : random.between(1, largest); };
    Problem p;
    p.type = random_type(random, machine);
    p.op_a = random.pick(all_ops);
    p.op_b = random.pick(all_ops);
    p.m = size(), p.n = size(), p.k = size();
    p.alpha = random.pick(factors);
    p.beta = random.pick(factors);
    const auto memories = static_cast<index_t>(machine.memories.size());
    for (MemoryId& home : p.home)
        home = random.chance(50) ? 0 : static_cast<MemoryId>(random.below(memories));
    return p;
}

/// Options that suit a problem whose sizes are at most `largest`.
inline Options random_options(Random& random, const Machine& machine, index_t largest) {
    Options options;
    const auto& table = policies();
    options.policy = table[static_cast<std::size_t>(random.below(std::ssize(table)))].name;
    if (random.chance(30)) options.order = random.chance(50) ? "panels" : "eta";
    if (random.chance(30)) options.late_c = random.chance(50) ? "always" : "never";
    if (random.chance(20)) options.chain = random.chance(50) ? "on" : "off";
    if (random.chance(20)) options.spread = random.chance(50) ? "cyclic" : "turns";
    if (random.chance(20)) options.caching = random.chance(50) ? "on" : "off";
    if (random.chance(20)) options.routing = random.chance(50) ? "eta" : "home";
    options.tile = random.chance(40) ? 0 : random.between(1 + largest / 8, largest);
    if (random.chance(50)) options.device_memory = 256 * random.between(3, 4 * largest);
    options.queues = random.chance(70) ? 0 : random.between(1, 3);
    const auto devices = static_cast<index_t>(machine.devices.size());
    if (random.chance(30)) options.devices = std::to_string(random.below(devices));
    return options;
}

/// A plan with several devices and tiles of everything, A, B and C on the host.
inline Plan small_plan(const Machine& machine, index_t size = 10, index_t tile = 4) {
    Problem p;
    p.m = size, p.n = size + 1, p.k = size - 1;
    p.alpha = p.beta = Factor::general;
    Options options;
    options.policy = "uncut";
    options.tile = tile;
    return make_plan(p, machine, options);
}

}  // namespace gemmill::test
