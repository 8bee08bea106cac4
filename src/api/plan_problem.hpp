// SPDX-License-Identifier: Apache-2.0
// Where planners and the scheduler meet.
#pragma once

#include <vector>

#include "planner/planner.hpp"

namespace gemmill {

/// As make_plan(), with the scheduler for policy dynamic and as a candidate of best.
Plan plan_problem(const Problem& problem, const Machine& machine, const Options& options,
                  std::vector<Tried>* tried = nullptr);

}  // namespace gemmill
