// SPDX-License-Identifier: Apache-2.0
// Makes plans of candidates and lets the model predict them. One uses the memory of another.
#pragma once

#include <vector>

#include "machine/sharing.hpp"
#include "model/engine.hpp"
#include "planner/choice.hpp"
#include "planner/draft.hpp"
#include "planner/planner.hpp"
#include "planner/search/budget.hpp"

namespace gemmill {

/// What the work of a candidate's plan depends on.
PlanCost cost_of(const Draft& frame, const Candidate& candidate);
/// About what it takes to look at it.
double work_of(const Draft& frame, const Candidate& candidate);

class Trials {
  public:
    /// `frame` has the machine, problem, devices and limits. With `tried` every plan is noted.
    Trials(const Draft& frame, std::vector<Tried>* tried);

    /// Makes the plan of a candidate and returns its seconds: infinity when it takes longer than
    /// `limit`, and then it is not simulated to its end. Throws what the shapes throw, and
    /// Error(out_of_memory) when that is more than `most` work.
    double make(const Candidate& candidate, double limit, double most);
    /// The same, with infinity where there is no room, no way, or there are too many tiles.
    double attempt(const Candidate& candidate, double limit, double most);

    /// Takes a plan that was made elsewhere as the last one.
    void adopt(Plan plan);
    /// The seconds of the last one; infinity when it takes longer than `limit`.
    double simulate_last(double limit) { return seconds_within(last_, limit, sharing_).seconds; }
    /// Plans that were made elsewhere are noted, too.
    void note(const std::vector<Tried>& others);
    /// Whether plans are noted at all.
    bool notes() const { return tried_ != nullptr; }

    /// The plan that was made last, until the next one is made or it is kept.
    const Draft& last() const { return last_; }
    /// Holds on to it. The machine stays where plans are made.
    void keep() {
        std::swap(last_, kept_);
        std::swap(last_.machine, kept_.machine);
    }
    /// Without its machine.
    const Draft& kept() const { return kept_; }
    /// The kept one, as it is.
    Draft take() &&;
    /// The kept one, with its prediction.
    Draft finish(double seconds) &&;

    /// Work so far (budget.hpp).
    double spent() const { return spent_; }

  private:
    const Draft& frame_;
    Sharing sharing_;
    Draft last_, kept_;
    std::vector<Tried>* tried_;
    double spent_ = 0;
};

}  // namespace gemmill
