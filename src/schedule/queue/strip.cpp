// SPDX-License-Identifier: Apache-2.0
#include "schedule/queue/strip.hpp"

#include <algorithm>
#include <cmath>

#include "machine/reach.hpp"
#include "task/problem.hpp"

namespace gemmill {
namespace {

/// Lines of a strip: thinner ones are all packing, and take as long as this.
constexpr index_t thinnest = 64;
constexpr index_t block = 16;  // lines that kernels of GPUs like
constexpr index_t many = 8;    // tiles along a side, of which one more or less matters little

index_t rounded_up(double lines, index_t to) {
    return (static_cast<index_t>(std::ceil(lines)) + to - 1) / to * to;
}

/// The device that takes rectangles; -1: there is none.
DeviceId find_cpu(const Plan& plan, const Tasks& tasks) {
    for (const DeviceId d : plan.devices)
        if (is_host_device(plan.machine, d) && use_of(plan, tasks, d) == CpuUse::rectangles)
            return d;
    return -1;
}

}  // namespace

TaskTiles with_strip(const Problem& p, TaskTiles tiles, double part) {
    if (!has_strip(p)) return tiles;
    tiles = fitted(p, tiles);
    const bool square =
        writes_triangle(p.routine);  // lines of the strip are alike along both sides
    if (square) tiles.rows = tiles.cols;
    const bool rows = is_strip_of_rows(p);
    const index_t lines = rows ? p.m : p.n;
    index_t& size = rows ? tiles.rows : tiles.cols;
    const double left = square ? std::sqrt(1 - part) : 1 - part;
    const double wanted = (1 - left) * static_cast<double>(lines);
    const double kept = static_cast<double>(lines) -
                        (wanted < thinnest / 4.0 ? 0 : std::max<double>(wanted, thinnest));
    if (kept <= 0) return tiles;
    if (wanted < static_cast<double>(size) || lines < many * size) {  // too coarse to round to
        const double tiles_kept = std::max(1.0, std::round(kept / static_cast<double>(size)));
        size = rounded_up(kept / tiles_kept, block);
        tiles.strip = std::max<index_t>(0, lines - static_cast<index_t>(tiles_kept) * size);
        if (square) tiles.rows = tiles.cols = size;
    } else {
        tiles.strip = std::max<index_t>(0, lines - rounded_up(kept, size));
    }
    return tiles;
}

Tasks tasks_beside(const Plan& frame, const Problem& problem, const TaskTiles& tiles,
                   double cpu_part) {
    Tasks plain = tasks_of(problem, tiles);
    const auto on_host = [&](DeviceId d) { return is_host_device(frame.machine, d); };
    if (std::ranges::none_of(frame.devices, on_host)) return plain;
    Plan plan = frame;
    plan.tiles = plain.tiles;
    const DeviceId cpu = find_cpu(plan, plain);
    if (cpu < 0) return plain;
    const double part = part_of_cpu(plan, plain, cpu, cpu_part);
    return part > 0 ? tasks_of(problem, with_strip(problem, tiles, part)) : plain;
}

Deal with_strip_dealt(const Plan& plan, const Tasks& tasks, Deal deal) {
    const DeviceId cpu = tasks.strip < 0 ? -1 : find_cpu(plan, tasks);
    if (cpu < 0) return deal;
    deal.resize(plan.devices.size());
    const auto d =
        static_cast<std::size_t>(std::ranges::find(plan.devices, cpu) - plan.devices.begin());
    std::vector<TaskId>& lane = deal[d];
    lane.clear();
    const auto mine = [&](TaskId t) { return in_strip(tasks, t); };
    for (std::vector<TaskId>& other : deal) std::erase_if(other, mine);
    for (TaskId t = 0; t < std::ssize(tasks.tasks); ++t)
        if (mine(t)) lane.push_back(t);
    std::ranges::stable_sort(lane, {}, [&](TaskId t) {
        const Tasks::Task& task = tasks.tasks[static_cast<std::size_t>(t)];
        return tasks.strip_rows ? task.col : task.row;
    });
    return deal;
}

}  // namespace gemmill
