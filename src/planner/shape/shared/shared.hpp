// SPDX-License-Identifier: Apache-2.0
// The routines but gemm on several devices, each of which holds all that it reads of A. What comes
// of A comes once from home, over the links of all devices, and is passed on:
//
//     host --> gpu0 --> gpu1        a piece of a panel of A enters at one device
//     host --> gpu1 --> gpu0        and goes from there to all others
//
// trmm, trsm, symm, hemm: each device makes lines of C (columns, or rows where A stands on the
// right), a front of them while A comes, and the others one by one when it is there. Rank updates:
// each makes columns of the triangle, as many as give all the same work.
#pragma once

#include "planner/choice.hpp"
#include "planner/draft.hpp"

namespace gemmill {

/// Fills in a plan that has its machine, problem, devices and limits. The problem must read A.
/// Throws Error(out_of_memory) where a device has no room for what it reads and makes, and
/// Error(no_device) where there is no way.
void plan_shared(Draft& plan, const Policy& policy, const Choice& choice);

}  // namespace gemmill
