// SPDX-License-Identifier: Apache-2.0
// Law 8: the plan that is kept is not slower than that of a policy we know, nor than one for fewer
// devices.
#pragma once

#include <vector>

#include "planner/candidates.hpp"
#include "planner/planner.hpp"

namespace gemmill {

/// The fastest predicted of what a policy that searches finds with about `budget` steps, of the
/// same for half of the devices, where these could be faster, of what named policies plan, and of
/// what comes from elsewhere. Of those and of other numbers of devices what is likely to take
/// longer to plan than its share of the run is left out: 2 % of it, at least 5 ms, at most half a
/// second, counted in steps so that the same call makes the same plan. Each plan that was made is
/// noted in `tried` when it is not null.
Draft best_of_all(const Draft& frame, const Candidate& start, double budget,
                  std::vector<Tried>* tried, const Elsewhere& elsewhere = {});

/// Plans one candidate of any routine: the one plan of a named policy, or, for a policy that
/// searches, the fastest that was found with about `budget` steps.
Draft plan_any(const Draft& frame, const Candidate& candidate, double budget,
               std::vector<Tried>* tried);

}  // namespace gemmill
