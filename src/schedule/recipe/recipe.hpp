// SPDX-License-Identifier: Apache-2.0
// What the scheduler needs to make a plan again.
#pragma once

#include <vector>

#include "gemmill/plan.hpp"
#include "gemmill/problem.hpp"
#include "schedule/options.hpp"
#include "task/tasks.hpp"

namespace gemmill {

/// How a plan was made: run again with these on a backend it is the dynamic runtime.
struct Recipe {
    TaskTiles tiles;
    std::vector<DeviceId> devices;
    ScheduleOptions options;
    index_t grain = 1;  ///< of the plan: buffers are padded to it
    bool operator==(const Recipe&) const = default;
};

/// Sizes of tiles, padding and devices of a plan that was proposed for the problem; options as they
/// follow from them.
Recipe recipe_of(const Plan& plan, const Problem& problem);
/// What a plan was made from, without its steps, for the devices of a recipe.
Plan frame_of(const Plan& plan, const Recipe& recipe);
/// Devices that have memory of their own; one at least.
std::size_t count_gpus(const Plan& plan, const std::vector<DeviceId>& devices);

}  // namespace gemmill
