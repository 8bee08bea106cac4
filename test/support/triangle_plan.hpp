// SPDX-License-Identifier: Apache-2.0
// A rank update in triangles of C, as if memory were short.
#pragma once

#include "planner/shape/tiles/level3.hpp"
#include "task/describe.hpp"

namespace gemmill::test {

inline Draft triangle_plan(const Problem& p, const Machine& machine, index_t groups) {
    Draft plan;
    plan.machine = machine;
    plan.problem = p;
    describe(p, plan);
    plan.policy = "best";
    for (const Memory& memory : machine.memories) plan.limit.push_back(memory.capacity);
    Choice choice;
    for (std::size_t d = 0; d < machine.devices.size(); ++d)
        choice.devices.push_back(static_cast<DeviceId>(d));
    plan.devices = choice.devices;
    choice.cut = {(p.n + groups - 1) / groups, 16};
    choice.groups = groups;
    Policy policy = resolve_policy({});
    policy.caching = false;
    plan_level3(plan, policy, choice);
    return plan;
}

}  // namespace gemmill::test
