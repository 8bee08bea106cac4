// SPDX-License-Identifier: Apache-2.0
// The steps of a gemm.
#pragma once

#include <vector>

#include "gemmill/plan.hpp"
#include "planner/decompose.hpp"
#include "planner/policy.hpp"

namespace gemmill {

/// What is left to choose once the policy is fixed.
struct Choice {
    std::vector<DeviceId> devices;
    Grid grid;                ///< of the devices; empty: the one that fetches least
    TileSize tile;            ///< 0: square, by the policy's rule
    bool fixed_tile = false;  ///< the user's: not to be made smaller
    double outer = 1;         ///< part of k that goes over all C tiles before they are finished
    index_t late_slots = 4;   ///< for tiles of C that wait to be added
    int queues = 0;           ///< compute queues of each device; 0: what the device has
    bool operator==(const Choice&) const = default;
};

/// Fills in a plan that has its machine, problem, devices and limits.
void plan_gemm(Plan& plan, const Policy& policy, const Choice& choice);

}  // namespace gemmill
