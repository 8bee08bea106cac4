// SPDX-License-Identifier: Apache-2.0
// The steps of a gemm.
#pragma once

#include "gemmill/plan.hpp"
#include "planner/deal.hpp"
#include "planner/policy.hpp"

namespace gemmill {

/// Fills in a plan that has its machine, problem, devices and limits.
void plan_gemm(Plan& plan, const Policy& policy, const Choice& choice);

}  // namespace gemmill
