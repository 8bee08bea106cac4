// SPDX-License-Identifier: Apache-2.0
// How much work planning may be, in one place. It is counted in steps that are made and simulated,
// never timed, so that the same call makes the same plan everywhere.
#pragma once

#include <algorithm>

namespace gemmill {

/// What a core of 2 to 3 GHz makes and simulates in a second, at least (bench/plan).
inline constexpr double steps_a_second = 2.2e6;
/// A plan costs as much as so many steps besides its own: choices, parts, places, queues.
inline constexpr double steps_of_a_plan = 25;
/// Making a step is this part of its cost, simulating it the rest (bench/plan).
inline constexpr double making = 0.6;
/// With each device more transfers run together, whose rates are to be found: this part more.
inline constexpr double for_a_device = 0.05;

/// A step that the scheduler decides costs as much as so many (bench/schedule).
inline constexpr double scheduled_step = 9;

/// Steps that may be planned for a run of so many seconds: a fiftieth of it, which nobody notices;
/// as much as a call of a few milliseconds can bear; and not longer than one waits for a command.
inline double budget_for(double run) {
    constexpr double share = 0.02, least = 5e-3, most = 0.5;
    return steps_a_second * std::clamp(share * run, least, most);
}

}  // namespace gemmill
