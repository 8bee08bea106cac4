// SPDX-License-Identifier: Apache-2.0
// Everything lies on one device, in sizes that its kernels do not like: matrices are copied to
// padded buffers, one kernel makes the result there, and it is copied back.
#pragma once

#include "planner/choice.hpp"
#include "planner/draft.hpp"

namespace gemmill {

/// Whether a plan of this grain on these devices is of this form.
bool is_copied(const Draft& plan, const Choice& choice);

/// Fills in a plan that has its machine, problem, devices, limits and grain. Throws
/// Error(out_of_memory) when the copies do not fit.
void plan_copied(Draft& plan, const Choice& choice);

}  // namespace gemmill
