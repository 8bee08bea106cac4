// SPDX-License-Identifier: Apache-2.0
#include "schedule/queue/deal.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "plan/access.hpp"
#include "schedule/queue/rectangles.hpp"

namespace gemmill {
namespace {

using Corner = std::tuple<index_t, index_t, index_t, index_t>;

Corner corner_of(const Tile& tile) { return {tile.row, tile.col, tile.rows, tile.cols}; }

/// Of the device, where it does tasks like any other.
double speed_of(const Plan& plan, const Tasks& tasks, DeviceId d) {
    if (use_of(plan, tasks, d) != CpuUse::tasks) return 0;
    return plan.machine.devices[static_cast<std::size_t>(d)]
        .peak[static_cast<std::size_t>(target_of(plan).type)];
}

/// So many chains, by device: each goes to the one that has least for its speed.
std::vector<std::size_t> owners_of(const Plan& plan, const Tasks& tasks, std::size_t chains) {
    std::vector<double> speed, load(plan.devices.size(), 0.0);
    for (const DeviceId d : plan.devices) speed.push_back(speed_of(plan, tasks, d));
    std::vector<std::size_t> owners;
    for (std::size_t c = 0; c < chains; ++c) {
        std::size_t least = 0;
        for (std::size_t d = 1; d < speed.size(); ++d)
            if ((load[d] + 1) * speed[least] < (load[least] + 1) * speed[d]) least = d;
        load[least] += 1;
        owners.push_back(least);
    }
    return owners;
}

}  // namespace

Deal deal_of_chains(const Plan& plan, const Tasks& tasks) {
    if (tasks.others.empty()) return {};
    std::map<TaskId, std::size_t> chains;  // by their first task
    std::vector<TaskId> order(tasks.tasks.size());
    const auto task = [&](TaskId t) -> const Tasks::Task& {
        return tasks.tasks[static_cast<std::size_t>(t)];
    };
    const auto first = [&](TaskId t) {
        return task(t).after.count == 0 ? t : others_in(tasks, task(t).after).front();
    };
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {}, [&](TaskId t) { return task(t).after.count; });
    for (const TaskId t : order) chains.try_emplace(first(t), chains.size());
    if (chains.size() == order.size() || chains.size() < plan.devices.size()) return {};
    const std::vector<std::size_t> owners = owners_of(plan, tasks, chains.size());
    Deal deal(plan.devices.size());
    for (const TaskId t : order) deal[owners[chains.at(first(t))]].push_back(t);
    return deal;
}

Deal deal_of(const Plan& plan, const Tasks& tasks, std::span<const DeviceId> devices, double tail) {
    std::map<Corner, TaskId> waiting;
    for (std::size_t t = 0; t < tasks.tasks.size(); ++t) {
        const Tile& target = tasks.tiles[static_cast<std::size_t>(tasks.tasks[t].target)];
        waiting[corner_of(target)] = static_cast<TaskId>(t);
    }
    auto left = static_cast<double>(tasks.tasks.size()) * (1 - tail);
    Deal deal(devices.size());
    for (const Step& step : plan.steps) {
        if (moves(step) || left < 1) continue;
        const Queue& queue = plan.queues[static_cast<std::size_t>(step.queue)];
        const auto device = std::ranges::find(devices, queue.index);
        const auto task = waiting.find(corner_of(tile_of(plan, step.out)));
        if (task == waiting.end() || device == devices.end()) continue;
        deal[static_cast<std::size_t>(device - devices.begin())].push_back(task->second);
        waiting.erase(task);
        left -= 1;
    }
    return deal;
}

}  // namespace gemmill
