// SPDX-License-Identifier: Apache-2.0
// The steps of a gemm.
#pragma once

#include "planner/draft.hpp"
#include "planner/policy.hpp"
#include "planner/split/deal.hpp"

namespace gemmill {

/// Fills in a plan that has its machine, problem, devices and limits. Order strips becomes panels
/// where it cannot be, unless the policy searches: then Error says why it cannot.
void plan_gemm(Draft& plan, const Policy& policy, const Choice& choice);

}  // namespace gemmill
