// SPDX-License-Identifier: Apache-2.0
// Sizes of tiles for the scheduler, chosen by trials on the model's clock.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "schedule/recipe/recipe.hpp"

namespace gemmill {

struct Proposal {
    Plan plan;  ///< with its prediction, as far as that was asked for
    Recipe recipe;
};

/// What may be tried.
struct ProposalLimits {
    double steps = 1e5;    ///< that may be planned about, in all
    bool at_least = true;  ///< one plan is made even where that takes more
    double most = std::numeric_limits<double>::infinity();     ///< but no more than so many steps
    index_t tile = 0;                                          ///< edge of the tiles; 0: chosen
    double seconds = std::numeric_limits<double>::infinity();  ///< no plan that takes longer
    ScheduleOptions options = {};
    /// Whether the plan is simulated once more as what it has become, which can take as long as to
    /// make it. Without, it has no prediction but the seconds of its trial.
    bool predicted = true;
};

/// The fastest predicted of a few: sizes of tiles, fewer devices. A CPU beside GPUs has nothing in
/// it where they are faster alone; for that question there are as many steps again. The frame has
/// the machine, operands, goal, devices and limits of the problem. Nothing where no tiles fit, or
/// all take too long. The same arguments give the same plan. `made` is set to the steps that were
/// planned in all.
std::optional<Proposal> propose(const Plan& frame, const Problem& problem,
                                const ProposalLimits& limits, double* made = nullptr);

}  // namespace gemmill
