// SPDX-License-Identifier: Apache-2.0
#include "schedule/recipe/rerun.hpp"

#include <algorithm>

#include "machine/reach.hpp"
#include "schedule/queue/rectangles.hpp"
#include "schedule/queue/strip.hpp"
#include "schedule/recipe/propose.hpp"
#include "schedule/schedule.hpp"

namespace gemmill {

bool decides_again(std::string_view policy) { return policy == "dynamic" || policy == "tail"; }

namespace {

bool computes(const Plan& plan, DeviceId d) {
    return std::ranges::any_of(plan.queues, [&](const Queue& queue) {
        return queue.kind == QueueKind::compute && queue.index == d;
    });
}

/// Whether a CPU beside GPUs has nothing to do: it was found not to pay; or the plan knows nothing
/// for it, and it is not asked to show what it can do. Only of rectangles it can be asked that, for
/// of these it begins none that would end too late.
bool leaves_out(const Plan& plan, const Rerun& again, DeviceId d) {
    const double part = again.options.cpu_part;
    if (!is_host_device(plan.machine, d)) return false;
    if (part == 0 || computes(plan, d)) return part == 0;
    return part == ScheduleOptions::by_rate ||
           use_of(again.frame, again.tasks, d) != CpuUse::rectangles;
}

}  // namespace

Rerun rerun_of(const Plan& plan, const Problem& problem, std::string_view policy, double cpu_part) {
    Recipe recipe = recipe_of(plan, problem);
    recipe.options.cpu_part = cpu_part;
    Rerun again{frame_of(plan, recipe), {}, recipe.options, {}};
    again.tasks = tasks_beside(again.frame, problem, recipe.tiles, cpu_part);
    again.frame.policy = policy;
    std::vector<DeviceId> devices = again.frame.devices;
    std::erase_if(devices, [&](DeviceId d) { return leaves_out(plan, again, d); });
    if (!devices.empty()) again.frame.devices = devices;
    if (policy == "tail") again.deal = deal_of(plan, again.tasks, again.frame.devices, tail_share);
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
