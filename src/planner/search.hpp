// SPDX-License-Identifier: Apache-2.0
// Tries variants of a plan and keeps the one that the model predicts to be fastest.
#pragma once

#include <string>
#include <vector>

#include "planner/gemm.hpp"
#include "planner/planner.hpp"

namespace gemmill {

/// One way to make a plan.
struct Candidate {
    Policy policy;
    Choice choice;
};

/// The plan of a candidate, with its prediction. `frame` has the machine, problem, devices and
/// limits.
Plan plan_candidate(const Plan& frame, const Candidate& candidate);

/// Starts from the fastest of some candidates, changes one thing at a time, keeps what is faster,
/// and stops when nothing helps or about `budget` steps have been planned. The first start is
/// always made. The same arguments give the same plan. Each plan that was made is noted in `tried`
/// when it is not null.
Plan search_plan(const Plan& frame, const std::vector<Candidate>& starts, double budget,
                 std::vector<Tried>* tried);

}  // namespace gemmill
