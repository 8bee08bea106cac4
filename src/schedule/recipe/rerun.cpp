// SPDX-License-Identifier: Apache-2.0
#include "schedule/recipe/rerun.hpp"

#include "schedule/queue/strip.hpp"
#include "schedule/recipe/propose.hpp"
#include "schedule/schedule.hpp"

namespace gemmill {

bool decides_again(std::string_view policy) { return policy == "dynamic" || policy == "tail"; }

Rerun rerun_of(const Plan& plan, const Problem& problem, std::string_view policy, double cpu_part) {
    Recipe recipe = recipe_of(plan, problem);
    recipe.options.cpu_part = cpu_part;
    Rerun again{frame_of(plan, recipe), {}, recipe.options, {}};
    again.tasks = tasks_beside(again.frame, problem, recipe.tiles, cpu_part);
    again.frame.policy = policy;
    if (policy == "tail") again.deal = deal_of(plan, again.tasks, recipe.devices, tail_share);
    return again;
}

Timeline run_disturbed(const Plan& plan, const Problem& problem,
                       std::span<const Disturbance> disturbances) {
    if (!decides_again(plan.policy) || plan.steps.empty()) return simulate(plan, disturbances);
    const Rerun again = rerun_of(plan, problem, plan.policy);
    return schedule_disturbed(again.frame, again.tasks, again.options, disturbances, again.deal)
        .timeline;
}

}  // namespace gemmill
