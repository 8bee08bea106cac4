// SPDX-License-Identifier: Apache-2.0
// From a problem to what a plan is about: operands and a goal. Behind this door nobody asks which
// routine of BLAS a plan serves.
#pragma once

#include <span>

#include "gemmill/plan.hpp"
#include "gemmill/problem.hpp"

namespace gemmill {

/// Sets the operands A, B and C of a plan, and its goal. What a problem lacks has no elements.
void describe(const Problem& problem, Plan& plan);

/// The problem that describe() makes these operands and this goal of. Throws Error(invalid_plan)
/// when there is none.
Problem problem_of(const Plan& plan);

/// Seconds that no plan for this problem on these devices can beat.
double bound_seconds(const Machine& machine, const Problem& problem,
                     std::span<const DeviceId> devices);

}  // namespace gemmill
