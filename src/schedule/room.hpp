// SPDX-License-Identifier: Apache-2.0
// How the memory that a plan may use is split between sums and inputs.
#pragma once

#include <vector>

#include "schedule/memory/cache.hpp"
#include "schedule/options.hpp"
#include "task/tasks.hpp"

namespace gemmill {

/// Tasks that a device which is alone has begun at most: a decision looks at each of them.
inline constexpr int most_begun = 64;

/// By MemoryId; no more than all tiles would take. Host memory has room only where something must
/// pass through it. The plan has the tasks' tiles. Throws Error(out_of_memory) when a memory does
/// not hold a sum and the inputs of one term beside what may still be used.
std::vector<Zones> zones_of(const Plan& plan, const Tasks& tasks, const ScheduleOptions& options);

/// Host memory that tiles pass through where there is no link; -1: the machine has none.
MemoryId relay_memory(const Machine& machine);

}  // namespace gemmill
