// SPDX-License-Identifier: Apache-2.0
// Ways to make a plan.
#pragma once

#include <string>
#include <vector>

#include "planner/gemm.hpp"

namespace gemmill {

/// One way to make a plan.
struct Candidate {
    Policy policy;
    Choice choice;
};

/// Its choices in a line, the same for the same ones.
std::string describe(const Draft& frame, const Candidate& candidate);

/// Few and coarse strips, so that they are cheap to compare; none where they make no sense: no
/// products, nothing to move, or choices of the user that strips do not know.
std::vector<Candidate> coarse_strips(const Draft& frame, const Candidate& start);

/// Whole columns are contiguous: one row of devices, where C has columns enough.
Grid strip_grid(const Problem& problem, std::size_t devices);

/// What the device where operands live gets, in shares of another; 1 without shares.
double favour_of(const Candidate& candidate);
/// Gives it so many times the share of the others; false where that makes no sense.
bool favour(const Draft& frame, Candidate& candidate, double share);

/// So many of the frame's devices: those where operands live first, then those that together get
/// most from the host.
std::vector<DeviceId> pick_devices(const Draft& frame, std::size_t count);

}  // namespace gemmill
