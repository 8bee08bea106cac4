// SPDX-License-Identifier: Apache-2.0
// How much work planning may be, in one place. It is counted in steps that are made and simulated,
// never timed, so that the same call makes the same plan everywhere.
#pragma once

#include <algorithm>
#include <cstddef>

namespace gemmill {

/// What a core of 2 to 3 GHz makes and simulates in a second, at least.
inline constexpr double steps_a_second = 1.2e6;

/// What the work of a plan depends on, in steps. A step is compared with what other devices do;
/// rates of transfers that run together are found at every event; each link has a queue, and tables
/// with a place for it (fitted to the times of 31055 plans, docs/planner.md).
struct PlanCost {
    double fixed = 0;                 ///< of a plan
    double make = 0, simulate = 0.2;  ///< of a step
    double share = 0.055;             ///< of a rate that the clock finds
};
inline PlanCost plan_cost(std::size_t devices, std::size_t links) {
    return {8 + 0.15 * static_cast<double>(links), 0.6 + 0.015 * static_cast<double>(devices)};
}

/// A step that the scheduler decides costs as much as so many (bench/schedule).
inline constexpr double scheduled_step = 3;

/// Steps that may be planned for a run of so many seconds: a fiftieth of it, which nobody notices;
/// as much as a call of a few milliseconds can bear; and not longer than one waits for a command.
inline double budget_for(double run) {
    constexpr double share = 0.02, least = 5e-3, most = 0.5;
    return steps_a_second * std::clamp(share * run, least, most);
}

}  // namespace gemmill
