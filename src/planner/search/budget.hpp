// SPDX-License-Identifier: Apache-2.0
// How much work planning may be, in one place. It is counted, in what is made and simulated, and
// never timed, so that the same call makes the same plan everywhere.
//
// The unit is what a core of the machine below does in a microsecond. The numbers are fits to the
// times of 22841 plans and 359 proposals of the scheduler (docs/planner.md).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace gemmill {

/// What a core does in a second, at least: one that is half as fast keeps to the budget, too.
inline constexpr double work_a_second = 0.5e6;

/// How plans are made, as far as that takes more or less work.
enum class Making : std::uint8_t { tiles, strips, level3 };

/// What the work of a plan depends on. A step is made and submitted to the clock, and simulated as
/// far as the plan may still be the best. It is compared with what other devices do; rates of
/// transfers that run together are found at every event; each link has a queue, and tables with a
/// place for it.
struct PlanCost {
    double fixed = 0;               ///< of a plan
    double make = 0, simulate = 0;  ///< of a step
    double share = 0;               ///< of a rate that the clock finds, and of each resource of it
};
inline PlanCost plan_cost(Making making, std::size_t devices, std::size_t links) {
    const auto d = static_cast<double>(devices), l = static_cast<double>(links);
    switch (making) {
        case Making::tiles:
            return {5 + 0.1 * l, 0.27 + 0.011 * d, 0.09, 0.014};
        case Making::strips:
            return {1 + 0.1 * l, 0.4, 0.1, 0.008};
        case Making::level3:
            return {3 + 0.07 * l, 0.41 + 0.0055 * d, 0.07, 0.02};
    }
    return {};
}

/// About how many steps so much work is, with as many rates for a step as is usual.
inline double steps_for(const PlanCost& cost, double work) {
    constexpr double shared = 5;
    return (work - cost.fixed) / (cost.make + cost.simulate + shared * cost.share);
}

/// The same of what the scheduler proposes: all of a proposal, and each step of all its trials.
struct ProposalCost {
    double fixed = 0, step = 0;
};
inline ProposalCost proposal_cost(std::size_t devices, std::size_t links) {
    return {60 + 0.7 * static_cast<double>(links), 1 + 0.05 * static_cast<double>(devices)};
}

/// How many steps the scheduler may make for so much work.
inline double steps_for(const ProposalCost& cost, double work) {
    return (work - cost.fixed) / cost.step;
}

/// Seconds: a fiftieth of a run, which nobody notices; as much as a call of a few milliseconds can
/// bear; and not longer than one waits for a command.
inline constexpr double budget_share = 0.02, least_budget = 5e-3, most_budget = 0.5;

/// Work for a run of so many seconds.
inline double budget_for(double run) {
    return work_a_second * std::clamp(budget_share * run, least_budget, most_budget);
}

/// A plan that serves many calls is worth more work than one call can bear. Seconds for which it is
/// looked for once more at this call of a problem; 0: not now. About as long as a call takes, at
/// the call with which that is the same share of all of them.
inline double budget_again(double run, std::int64_t calls) {
    const double seconds = std::clamp(run, 4 * least_budget, most_budget);
    const auto due = static_cast<std::int64_t>(std::ceil(seconds / (budget_share * run)));
    return calls == due ? seconds : 0;
}

}  // namespace gemmill
