// SPDX-License-Identifier: Apache-2.0
// What policies dynamic and tail take from a plan that was made on the model's clock.
#pragma once

#include <span>
#include <string_view>

#include "model/engine.hpp"
#include "schedule/options.hpp"
#include "schedule/queue/deal.hpp"

namespace gemmill {

/// Of the targets of policy tail: what is dealt on demand. Between 0.1 and 0.2 disturbed runs
/// differ by 1 to 2 % in the mean (docs/runtime.md).
inline constexpr double tail_share = 0.15;

/// Whether plans of a policy are not run as they were made: the scheduler decides again.
bool decides_again(std::string_view policy);

/// All that the scheduler needs to do the work of a plan while it decides again.
struct Rerun {
    Plan frame;
    Tasks tasks;
    ScheduleOptions options;
    Deal deal;  ///< of policy tail
};
/// As policy dynamic or tail; `cpu_part` as in ScheduleOptions.
Rerun rerun_of(const Plan& plan, const Problem& problem, std::string_view policy,
               double cpu_part = ScheduleOptions::by_rate);

/// A run on the model's clock of a machine that is disturbed, which no planner and no scheduler
/// knows: of the plan as it is, or as its policy decides again. Throws Error when a device or a
/// link stops for good.
Timeline run_disturbed(const Plan& plan, const Problem& problem,
                       std::span<const Disturbance> disturbances);

}  // namespace gemmill
