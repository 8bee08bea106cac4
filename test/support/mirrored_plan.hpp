// SPDX-License-Identifier: Apache-2.0
// A plan of symm that fills up A in a buffer.
#pragma once

#include "planner/level3_tall.hpp"
#include "support/plan_case.hpp"

namespace gemmill::test {

/// n x n in parts of 4, on one device; A lies there, too.
inline Plan mirrored_plan(index_t n) {
    Plan plan;
    plan.machine = synthetic_machine("gpu:1(mem=1GB,d=1T,s=1T,c=1T,z=1T,h=2T,b=2T)");
    Problem& p = plan.problem;
    p.routine = Routine::symm;
    p.m = p.n = p.k = n;
    p.alpha = p.beta = Factor::general;
    p.home[0] = plan.machine.devices[0].memory;
    plan.policy = "best";
    plan.devices = {0};
    for (const Memory& memory : plan.machine.memories) plan.limit.push_back(memory.capacity);
    Level3Choice choice;
    choice.devices = {0};
    choice.cut = {4, 4};
    choice.outer = 1;
    plan_tall(plan, choice);
    return plan;
}

}  // namespace gemmill::test
