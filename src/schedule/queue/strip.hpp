// SPDX-License-Identifier: Apache-2.0
// The strip of the target that a CPU beside GPUs begins with: its part need not be whole tiles,
// which are large where GPUs are fast. What is left for GPUs is cut into tiles that are alike.
#pragma once

#include "schedule/queue/deal.hpp"
#include "schedule/queue/rectangles.hpp"

namespace gemmill {

/// Sizes of tiles with a strip that has about this part of the flops, rounded in favour of the
/// GPUs, and no thinner than a host BLAS can bear; none where that would be far too much.
TaskTiles with_strip(const Problem& problem, TaskTiles tiles, double part);

/// The tasks of a problem, with a strip where a device of the frame takes rectangles: of the part
/// that `cpu_part` says (ScheduleOptions).
Tasks tasks_beside(const Plan& frame, const Problem& problem, const TaskTiles& tiles,
                   double cpu_part);

/// The deal in which the strip is the CPU's: others take of it what the CPU has not begun when
/// there is nothing else to do.
Deal with_strip_dealt(const Plan& plan, const Tasks& tasks, Deal deal);

}  // namespace gemmill
