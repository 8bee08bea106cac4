// SPDX-License-Identifier: Apache-2.0
// Plans of the other routines of level 3: what a policy chooses, or the fastest predicted of what
// is near it.
#pragma once

#include <vector>

#include "planner/deal.hpp"
#include "planner/level3.hpp"
#include "planner/planner.hpp"

namespace gemmill {

/// `frame` has the machine, problem, devices and limits. Of `choice` the devices, the tile and the
/// queues count. With a policy that searches about `budget` steps are planned. The same arguments
/// give the same plan.
Draft search_level3(const Draft& frame, const Policy& policy, const Choice& choice, double budget,
                    std::vector<Tried>* tried);

}  // namespace gemmill
