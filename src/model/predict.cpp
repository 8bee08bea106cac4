// SPDX-License-Identifier: Apache-2.0
#include "model/cost.hpp"
#include "model/engine.hpp"
#include "plan/access.hpp"

namespace gemmill {

Prediction predict(const Plan& plan, const Timeline& timeline) {
    return predict(plan, makespan(timeline));
}

Prediction predict(const Plan& plan, double seconds) {
    Prediction prediction;
    prediction.seconds = seconds;
    prediction.bound_seconds = bound_seconds(plan.machine, plan.operands, plan.goal, plan.devices);
    prediction.device_busy.assign(plan.machine.devices.size(), 0);
    prediction.link_bytes.assign(plan.machine.links.size(), 0);
    for (const Step& step : plan.steps) {
        const Queue& queue = plan.queues[static_cast<std::size_t>(step.queue)];
        const auto index = static_cast<std::size_t>(queue.index);
        if (queue.kind == QueueKind::compute)
            prediction.device_busy[index] += cost_of(plan, step).amount;
        else
            prediction.link_bytes[index] += bytes_moved(plan, step);
    }
    return prediction;
}

}  // namespace gemmill
