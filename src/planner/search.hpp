// SPDX-License-Identifier: Apache-2.0
// Tries variants of a plan and keeps the one that the model predicts to be fastest.
#pragma once

#include <vector>

#include "planner/candidates.hpp"
#include "planner/planner.hpp"

namespace gemmill {

/// The plan of a candidate, with its prediction. `frame` has the machine, problem, devices and
/// limits.
Draft plan_candidate(const Draft& frame, const Candidate& candidate);

/// Starts from a candidate, changes one thing at a time, keeps what is faster, and stops when
/// nothing helps or about `budget` steps have been planned. Of the start, or of strips in its place
/// where its order says so, one plan is always made. The same arguments give the same plan. Each
/// plan that was made is noted in `tried` when it is not null.
Draft search_plan(const Draft& frame, const Candidate& start, double budget,
                  std::vector<Tried>* tried);

}  // namespace gemmill
