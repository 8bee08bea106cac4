// SPDX-License-Identifier: Apache-2.0
#include "plan/text/queue_names.hpp"

#include <fmt/format.h>

#include <map>

#include "plan/text/machine_names.hpp"

namespace gemmill {

std::vector<std::string> queue_names(const Plan& plan) {
    const MachineNames names(plan.machine);
    std::vector<std::string> all;
    std::map<std::string, int> counts;
    for (const Queue& queue : plan.queues) {
        const std::string name =
            queue.kind == QueueKind::compute ? names.device(queue.index) : names.link(queue.index);
        const bool numbered = name.find('[') != std::string::npos;
        all.push_back(numbered ? fmt::format("q{}", all.size())
                               : fmt::format("{}.{}", name, counts[name]++));
    }
    return all;
}

}  // namespace gemmill
