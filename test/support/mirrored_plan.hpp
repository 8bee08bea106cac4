// SPDX-License-Identifier: Apache-2.0
// A plan of symm or hemm that fills up A in a buffer.
#pragma once

#include "planner/shape/resident/mirrored.hpp"
#include "support/frame.hpp"

namespace gemmill::test {

/// On the first device, in parts of 4.
inline Draft mirrored_plan(const Problem& p, const Machine& machine) {
    Draft plan = frame_of_one(machine, p);
    Choice choice;
    choice.devices = {0};
    choice.cut = {4, 4};
    choice.outer = 1;
    plan_mirrored(plan, choice);
    return plan;
}

}  // namespace gemmill::test
