// SPDX-License-Identifier: Apache-2.0
// Recipes that are worth a trial on the model's clock, by a guess in closed form.
#pragma once

#include <vector>

#include "schedule/recipe/guess.hpp"
#include "schedule/recipe/propose.hpp"

namespace gemmill {

/// A plan takes as long to make as so many steps besides its own.
inline constexpr double steps_besides = 12;
/// Steps that a plan with such tiles takes to make, about, with those besides.
double steps_of(const Guess& guess, const Problem& problem, const TaskTiles& tiles);
/// The same where no tile goes to more than one device.
double least_steps(const Problem& problem, const TaskTiles& tiles);

/// Sizes that fit the problem. Where A does not come together taller targets of a rank update are
/// for one device: among several they are too uneven, as the diagonal cuts them.
TaskTiles fitted_on(const Problem& problem, TaskTiles tiles, std::size_t devices);

/// The size of parts of a side, as alike as kernels like them: the last one may be smaller.
index_t part_of(index_t whole, index_t parts, index_t grain);

/// Tasks that a device should have begun at once: its tasks in two rounds, so that the targets of
/// the first are written while the second is computed. All at once would end at once, and with few
/// there is little that a tile which has come can be used for.
int active_for(double tasks, std::size_t devices);
/// The same for the tasks of a problem; few where tasks wait for each other, for they do so all the
/// more the more have begun.
int active_with(const Problem& problem, const TaskTiles& tiles, std::size_t devices);

/// Devices without a CPU beside GPUs, whose part has no say in the sizes of their tiles.
std::vector<DeviceId> without_cpu(const Plan& frame);

/// Those that are likely to be fastest first, on all devices or fewer; none that takes more than
/// `steps` to plan, or at least where it may be more, or whose tiles do not fit.
std::vector<Recipe> likely_starts(const Plan& frame, const Problem& problem,
                                  const ScheduleOptions& options, double steps,
                                  bool at_least = false);

}  // namespace gemmill
