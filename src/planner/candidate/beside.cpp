// SPDX-License-Identifier: Apache-2.0
#include "planner/candidate/beside.hpp"

#include <algorithm>

#include "machine/reach.hpp"
#include "model/cost.hpp"
#include "planner/split/beside.hpp"
#include "planner/split/parts.hpp"
#include "task/problem.hpp"

namespace gemmill {

DeviceId find_cpu_beside(const Draft& frame) {
    const Machine& machine = frame.machine;
    const auto is_cpu = [&](DeviceId d) { return is_host_device(machine, d); };
    const auto cpu = std::ranges::find_if(frame.devices, is_cpu);
    const bool beside = cpu != frame.devices.end() && !std::ranges::all_of(frame.devices, is_cpu);
    const auto on_host = [&](MemoryId home) { return is_host(machine, home); };
    if (!beside || !std::ranges::all_of(frame.problem.home, on_host)) return -1;
    return can_cut_off(frame.problem) ? *cpu : -1;
}

double cpu_seconds(const Draft& frame, DeviceId cpu, double part) {
    Draft alone = frame;
    const Problem& p = frame.problem;
    add_beside(alone, p, cut_off(p, cpu, part, 1));
    double seconds = 0;
    for (const Step& step : alone.steps) {
        const Cost cost = cost_of(alone, step);
        seconds += cost.latency + cost.seconds();
    }
    return seconds;
}

double part_beside(const Draft& frame, DeviceId cpu, double seconds) {
    constexpr int rounds = 4;  // few lines take longer each; what is left to mend is a hundredth
    double part = 1;
    for (int round = 0; round < rounds; ++round) {
        const double each = cpu_seconds(frame, cpu, part) / part;
        part = seconds / (seconds + each);
        if (cut_off(frame.problem, cpu, part, 1).lines == 0) break;
    }
    return part;
}

index_t whole_lines(const Draft& frame, const Choice& choice, index_t wanted) {
    // Rounding to few large tiles would leave the CPU nothing, or half of what it can do.
    constexpr index_t few = 8, finest = 32;
    const index_t tile = std::max(choice.tile.m, choice.tile.n);
    if (choice.fixed_tile && tile <= count_lines(frame.problem) / few) return tile;
    index_t block = block_of(frame.machine, std::min(frame.problem.m, frame.problem.n));
    while (block > finest && few * block > wanted) block /= 2;
    return block;
}

}  // namespace gemmill
