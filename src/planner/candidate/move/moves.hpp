// SPDX-License-Identifier: Apache-2.0
// Small changes of a candidate, which the search tries one after the other.
#pragma once

#include <functional>
#include <vector>

#include "planner/choice.hpp"
#include "planner/draft.hpp"

namespace gemmill {

/// Changes one choice; false when there is nothing to change.
using Move = std::function<bool(Candidate&)>;
inline Move flip(bool Choice::*flag) {
    return [=](Candidate& candidate) {
        candidate.choice.*flag = !(candidate.choice.*flag);
        return true;
    };
}
/// What to try on a candidate like this one, the likelier to help the earlier.
std::vector<Move> moves_for(const Draft& frame, const Candidate& candidate);
/// The same for the routines but gemm.
std::vector<Move> level3_moves_for(const Problem& problem, const Choice& choice);
/// A little more and a little less for the CPU beside other devices, and nothing where it has none.
void add_beside_moves(const Draft& frame, const Choice& choice, std::vector<Move>& moves);

}  // namespace gemmill
