// SPDX-License-Identifier: Apache-2.0
#include "schedule/recipe/recipe.hpp"

#include <algorithm>

#include "machine/reach.hpp"
#include "plan/access.hpp"
#include "schedule/recipe/starts.hpp"
#include "task/problem.hpp"

namespace gemmill {
namespace {

DeviceId device_of(const Plan& plan, const Step& step) {
    return plan.queues[static_cast<std::size_t>(step.queue)].index;
}

/// Whether a CPU beside GPUs made more than a tile at once.
bool is_rectangle(const Plan& plan, const Step& step) {
    const auto gpu = [&](const Queue& q) {
        return q.kind == QueueKind::compute && !is_host_device(plan.machine, q.index);
    };
    return is_host_device(plan.machine, device_of(plan, step)) &&
           std::ranges::any_of(plan.queues, gpu);
}

/// Rows of the panels of a rank update, of which the diagonal cuts a part off. `tiles` has the
/// largest sizes of targets.
index_t rows_of_panels(const Plan& plan, const TaskTiles& tiles) {
    if (tiles.rows <= tiles.cols || target_of(plan).triangle == Triangle::upper) return tiles.rows;
    index_t rows = tiles.rows;
    for (const Step& step : plan.steps) {
        if (moves(step) || is_rectangle(plan, step)) continue;
        const Tile& target = tile_of(plan, step.out);  // below the first square
        if (target.col == 0 && target.row == tiles.cols) rows = target.row + target.rows;
    }
    return rows;
}

/// Whether longer columns of A come than a term reads.
bool comes_together(const Plan& plan, const Problem& p, const TaskTiles& tiles) {
    const index_t read = writes_triangle(p.routine) ? tiles.cols : tiles.depth;
    return can_come_together(p) && std::ranges::any_of(plan.steps, [&](const Step& step) {
               if (step.op != Opcode::fetch) return false;
               const Tile& tile = tile_of(plan, step.in[0]);
               return tile.operand == operand::A && tile.rows > read;
           });
}

}  // namespace

std::size_t count_gpus(const Plan& plan, const std::vector<DeviceId>& devices) {
    const auto on_gpu = [&](DeviceId d) { return !is_host_device(plan.machine, d); };
    return std::max<std::size_t>(1,
                                 static_cast<std::size_t>(std::ranges::count_if(devices, on_gpu)));
}

Recipe recipe_of(const Plan& plan, const Problem& problem) {
    Recipe recipe;
    recipe.grain = plan.grain;
    for (const Step& step : plan.steps) {
        if (moves(step) || is_rectangle(plan, step)) continue;
        const Tile& target = tile_of(plan, step.out);
        recipe.tiles.rows = std::max(recipe.tiles.rows, target.rows);
        recipe.tiles.cols = std::max(recipe.tiles.cols, target.cols);
        recipe.tiles.depth = std::max(recipe.tiles.depth, k_span(plan, step).count);
    }
    for (const DeviceId d : plan.devices) {
        const auto computes = [&](const Queue& q) {
            return q.kind == QueueKind::compute && q.index == d;
        };
        // A CPU that had nothing to do on the model's clock may have on a real one.
        if (std::ranges::any_of(plan.queues, computes) || is_host_device(plan.machine, d))
            recipe.devices.push_back(d);
    }
    if (writes_triangle(problem.routine)) recipe.tiles.rows = rows_of_panels(plan, recipe.tiles);
    recipe.tiles.together = comes_together(plan, problem, recipe.tiles);
    const std::size_t gpus = count_gpus(plan, recipe.devices);
    recipe.tiles = fitted_on(problem, recipe.tiles, gpus);
    recipe.options.active = active_with(problem, recipe.tiles, gpus);
    return recipe;
}

Plan frame_of(const Plan& plan, const Recipe& recipe) {
    Plan frame;
    frame.machine = plan.machine;
    frame.operands = plan.operands;
    frame.goal = plan.goal;
    frame.policy = plan.policy;
    frame.limit = plan.limit;
    frame.grain = recipe.grain;
    frame.devices = recipe.devices;
    return frame;
}

}  // namespace gemmill
