// SPDX-License-Identifier: Apache-2.0
// Small changes of a candidate, which the search tries one after the other.
#pragma once

#include <functional>
#include <vector>

#include "planner/candidates.hpp"

namespace gemmill {

/// Changes one choice; false when there is nothing to change.
using Move = std::function<bool(Candidate&)>;
/// What to try on a candidate like this one, the likelier to help the earlier.
std::vector<Move> moves_for(const Draft& frame, const Candidate& candidate);

}  // namespace gemmill
