// SPDX-License-Identifier: Apache-2.0
// The walker of static plans.
#pragma once

#include "exec/backend.hpp"

namespace gemmill {

/// Submits every step of the plan, waits for all of them and returns when each one ran.
/// Throws Error naming the first step that failed; C tiles are then old or right.
Timeline run(const Plan& plan, Backend& backend, const Binding& binding);
/// The same without times, which some backends tell at a cost.
void run_untimed(const Plan& plan, Backend& backend, const Binding& binding);

}  // namespace gemmill
