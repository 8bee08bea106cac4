// SPDX-License-Identifier: Apache-2.0
// How the costs of planning, simulating and checking grow with the number of steps.
#pragma once

#include "runner.hpp"

namespace bench {

/// Makes plans of several kinds with about 10^3 to 10^6 steps (--quick: 10^4), without search, and
/// prints microseconds of processor time a step, and the ratio to the plan of the same kind with
/// about ten times fewer steps: 1 is linear, n log n gives 1.2 to 1.3, n^2 gives 10. A kind ends
/// early where n^2 would take more than a minute for the next one. Each result says whether its
/// plan was valid and had the right flops.
nlohmann::json growth(const Settings& settings);

}  // namespace bench
