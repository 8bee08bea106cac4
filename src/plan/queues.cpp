// SPDX-License-Identifier: Apache-2.0
#include "plan/queues.hpp"

#include "machine/load/assumed.hpp"

namespace gemmill {

std::int64_t kernel_room(const Plan& plan, MemoryId memory) {
    std::int64_t bytes = 0;
    for (const Queue& queue : plan.queues) {
        if (queue.kind != QueueKind::compute) continue;
        const Device& device = plan.machine.devices[static_cast<std::size_t>(queue.index)];
        if (device.memory != memory) continue;
        const Chip& chip = chip_with_room(plan.machine, device);
        bytes += chip.workspace + chip.scratch;
    }
    return bytes;
}

}  // namespace gemmill
