// SPDX-License-Identifier: Apache-2.0
#include "schedule/deal.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "plan/access.hpp"

namespace gemmill {
namespace {

using Corner = std::tuple<index_t, index_t, index_t, index_t>;

Corner corner_of(const Tile& tile) { return {tile.row, tile.col, tile.rows, tile.cols}; }

}  // namespace

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
