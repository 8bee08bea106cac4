// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "planner/choice.hpp"
#include "planner/draft.hpp"

namespace gemmill {

/// What a candidate chose, for people: its devices, then pairs of a name and a value.
std::string describe(const Draft& frame, const Candidate& candidate);

}  // namespace gemmill
