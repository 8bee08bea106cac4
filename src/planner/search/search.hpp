// SPDX-License-Identifier: Apache-2.0
// The one search, for every routine: makes plans, lets the model predict them, keeps the fastest.
//
//   starts   a few coarse plans on all devices
//   heads    from the best start of each number of devices: one change at a time, kept when it is
//            faster, each with its part of the budget
//   rest     what is left of the budget on the best of all
//   fewer    beside that the same on fewer devices, as far as these could be faster by the bound,
//            also with what named policies make of the problem
//   others   and beside it named policies on all devices, and the scheduler (others.hpp)
//   halves   and all of this on the first half of the devices, the first quarter and so on
//
// So the plan is not slower than that of a policy we know, as far as the budget goes, nor than the
// plan for half of the devices (law 8).
#pragma once

#include <limits>
#include <vector>

#include "planner/choice.hpp"
#include "planner/draft.hpp"
#include "planner/planner.hpp"

namespace gemmill {

/// How far a search goes.
struct Scope {
    double work = 0;    ///< that planning may be; 0: what the run allows (budget.hpp)
    bool named = true;  ///< also plans of named policies
    /// Seconds of a plan that is there already: a run that takes longer allows no more work.
    double least = std::numeric_limits<double>::infinity();
};

/// The fastest plan found, with its prediction. `frame` has the machine, problem, devices and
/// limits; `first` the policy and what the caller chose. A policy that does not search makes its
/// one plan. The same arguments give the same plan. Each plan that was made is noted in `tried`
/// when it is not null. Throws Error(out_of_memory) or Error(no_device) when there is no plan.
/// With `help.elsewhere` its plan is one of the candidates.
Draft search_plan(const Draft& frame, const Candidate& first, const Scope& scope,
                  std::vector<Tried>* tried, const Help& help = {});

}  // namespace gemmill
