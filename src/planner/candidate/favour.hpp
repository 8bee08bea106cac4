// SPDX-License-Identifier: Apache-2.0
// Uneven shares: a device where operands live may have more of C than the others.
#pragma once

#include "planner/choice.hpp"
#include "planner/draft.hpp"

namespace gemmill {

/// Whole columns are contiguous: one row of devices, where C has columns enough.
Grid strip_grid(const Problem& problem, std::size_t devices);

/// What the device where operands live gets, in shares of another; 1 without shares.
double favour_of(const Candidate& candidate);
/// Gives it so many times the share of the others, in whole hundredths; false where that makes no
/// sense.
bool favour(const Draft& frame, Candidate& candidate, double share);

}  // namespace gemmill
