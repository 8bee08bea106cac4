// SPDX-License-Identifier: Apache-2.0
// What a plan's queues mean for whoever runs it: what memory their kernels have beside the plan's
// slabs.
#pragma once

#include "gemmill/plan.hpp"

namespace gemmill {

/// Bytes of a memory that the kernels of the plan's compute queues have for themselves, as the chip
/// of each device says.
std::int64_t kernel_room(const Plan& plan, MemoryId memory);

}  // namespace gemmill
