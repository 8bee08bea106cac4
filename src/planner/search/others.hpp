// SPDX-License-Identifier: Apache-2.0
// What others make of a problem: named policies, and the scheduler. It does not depend on how far
// the search has come, so that it is done beside it.
#pragma once

#include <functional>
#include <limits>
#include <vector>

#include "planner/choice.hpp"
#include "planner/draft.hpp"
#include "planner/planner.hpp"

namespace gemmill {

/// A candidate and the seconds of its plan.
struct Found {
    Candidate candidate;
    double seconds = std::numeric_limits<double>::infinity();
};

/// The fastest of their plans.
struct OthersBest {
    Draft plan;
    double seconds = 0;  ///< infinity: none was within the limits
    std::vector<Tried> tried;
    Found alone;            ///< the best of a search that leaves out a CPU beside other devices
    bool simulated = true;  ///< else the seconds are about those of the plan
};

/// What others may do.
struct Effort {
    double work = 0;     ///< of each of them (budget.hpp)
    bool notes = false;  ///< whether they note their plans
    double steps = 0;    ///< that a call of policy dynamic may plan (scheduler_steps)
};

/// Steps that the scheduler may plan where it is all that is asked, by the devices that have memory
/// of their own: a CPU beside them has no say, so that what is planned without it is the same.
/// `work` as in Scope.
double scheduler_steps(const Draft& frame, double work);

/// Begins with some work beside the caller; what is returned waits for the answer, once.
std::function<OthersBest()> begin_aside(const Help& help, std::function<OthersBest()> work);

/// Begins with these candidates, with what the scheduler proposes on all devices and with what it
/// proposes on half of them, beside the caller. What is returned waits for the answers, each of
/// them once. The frame and `help` must outlive it.
std::vector<std::function<OthersBest()>> ask_others(const Draft& frame,
                                                    std::vector<Candidate> named, const Help& help,
                                                    const Effort& effort);

}  // namespace gemmill
