// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "planner/choice.hpp"
#include "planner/draft.hpp"

namespace gemmill {

/// "gpu0,gpu1".
std::string names_of(const Draft& frame, const std::vector<DeviceId>& devices);

/// What a candidate chose, for people: its devices, then pairs of a name and a value.
std::string describe(const Draft& frame, const Candidate& candidate);

}  // namespace gemmill
