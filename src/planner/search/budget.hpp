// SPDX-License-Identifier: Apache-2.0
// How much work planning may be, in one place. It is counted in steps that are made and simulated,
// never timed, so that the same call makes the same plan everywhere.
#pragma once

#include <algorithm>
#include <cstddef>

namespace gemmill {

/// What a core of 2 to 3 GHz makes and simulates in a second for one device, at least.
inline constexpr double steps_a_second = 1.7e6;
/// Making a step is this part of its cost, simulating it on one device the rest.
inline constexpr double making = 0.7;

/// What the work of a plan depends on: each device more has transfers that run together, whose
/// rates are to be found at every event; and each link has a queue, and tables with a place for it.
struct PlanCost {
    double fixed = 0;     ///< besides its steps
    double simulate = 0;  ///< of a step
};
inline PlanCost plan_cost(std::size_t devices, std::size_t links) {
    constexpr double least = 8, a_link = 0.2, a_device = 0.1;
    return {least + a_link * static_cast<double>(links),
            (1 - making) * (1 + a_device * static_cast<double>(devices))};
}

/// A step that the scheduler decides costs as much as so many (bench/schedule).
inline constexpr double scheduled_step = 9;

/// Steps that may be planned for a run of so many seconds: a fiftieth of it, which nobody notices;
/// as much as a call of a few milliseconds can bear; and not longer than one waits for a command.
inline double budget_for(double run) {
    constexpr double share = 0.02, least = 5e-3, most = 0.5;
    return steps_a_second * std::clamp(share * run, least, most);
}

}  // namespace gemmill
