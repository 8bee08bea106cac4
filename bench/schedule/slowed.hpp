// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner.hpp"

namespace bench {

/// Two devices of the CPU with 1 and 3 threads, the larger one at a quarter of its rate, unknown to
/// the planner: a static plan against the scheduler. Returns 1 when a result is wrong.
int run_slowed(const Settings& settings);

}  // namespace bench
