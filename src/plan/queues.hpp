// SPDX-License-Identifier: Apache-2.0
// What a plan's queues mean for whoever runs it: which go first, and what memory their kernels have
// beside the plan's slabs.
#pragma once

#include "gemmill/plan.hpp"

namespace gemmill {

/// Whether steps of a queue go before those of other queues of their device. The first compute
/// queue of a device has the large products; other queues hold short kernels and copies on the
/// critical path.
bool is_urgent(const Plan& plan, QueueId queue);

/// Bytes of a memory that the kernels of the plan's compute queues have for themselves, as the chip
/// of each device says.
std::int64_t kernel_room(const Plan& plan, MemoryId memory);

}  // namespace gemmill
