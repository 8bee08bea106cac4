// SPDX-License-Identifier: Apache-2.0
// The steps of gemmt, symm, hemm, syrk, herk, syr2k, her2k, trmm and trsm.
#pragma once

#include "planner/policy.hpp"
#include "planner/split/targets/order.hpp"

namespace gemmill {

/// Fills in a plan that has its machine, problem, devices and limits. What cannot be tall is cut
/// into tiles. Throws Error(out_of_memory) when not even the smallest tiles fit.
void plan_level3(Draft& plan, const Policy& policy, const Choice& choice);

}  // namespace gemmill
