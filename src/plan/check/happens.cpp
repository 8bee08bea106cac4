// SPDX-License-Identifier: Apache-2.0
#include "plan/check/happens.hpp"

#include <algorithm>

namespace gemmill {

HappensBefore::HappensBefore(const Plan& plan)
    : plan_(plan),
      queues_(plan.queues.size()),
      position_(plan.steps.size()),
      clock_(plan.steps.size() * queues_) {
    std::vector<StepId> last(queues_, -1);
    for (std::size_t i = 0; i < plan.steps.size(); ++i) {
        const Step& step = plan.steps[i];
        std::uint32_t* clock = clock_.data() + i * queues_;
        const auto join = [&](StepId before) {
            const auto b = static_cast<std::size_t>(before);
            const std::uint32_t* other = clock_.data() + b * queues_;
            for (std::size_t q = 0; q < queues_; ++q) clock[q] = std::max(clock[q], other[q]);
            std::uint32_t& own = clock[static_cast<std::size_t>(plan.steps[b].queue)];
            own = std::max(own, position_[b] + 1);
        };
        StepId& previous = last[static_cast<std::size_t>(step.queue)];
        if (previous >= 0) {
            join(previous);
            position_[i] = position_[static_cast<std::size_t>(previous)] + 1;
        }
        for (const StepId wait : waits_of(plan, step)) join(wait);
        previous = static_cast<StepId>(i);
    }
}

bool HappensBefore::operator()(StepId earlier, StepId later) const {
    const auto e = static_cast<std::size_t>(earlier);
    const auto queue = static_cast<std::size_t>(plan_.steps[e].queue);
    return clock_[static_cast<std::size_t>(later) * queues_ + queue] > position_[e];
}

}  // namespace gemmill
