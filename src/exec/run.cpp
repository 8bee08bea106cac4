// SPDX-License-Identifier: Apache-2.0
#include "exec/run.hpp"

#include <fmt/format.h>

namespace gemmill {
namespace {

std::string describe(const Plan& plan, const Completion& done) {
    const Step& step = plan.steps[static_cast<std::size_t>(done.step)];
    return fmt::format("step {} ({} of {} on {}): {}", done.step, name_of(step.kind),
                       name_of(plan, plan.tiles[static_cast<std::size_t>(step.out.tile)]),
                       name_of(plan, plan.queues[static_cast<std::size_t>(step.queue)]), done.text);
}

}  // namespace

Timeline run(const Plan& plan, Backend& backend, const Binding& binding) {
    Timeline timeline(plan.steps.size());
    const std::unique_ptr<Session> session = backend.open(plan, binding);
    const auto count = static_cast<StepId>(plan.steps.size());
    for (StepId step = 0; step < count; ++step) session->submit(step);
    std::size_t ended = 0;
    while (const auto done = session->next()) {
        if (done->code != Code::ok) throw Error(done->code, describe(plan, *done));
        timeline[static_cast<std::size_t>(done->step)] = done->time;
        ++ended;
    }
    require(ended == plan.steps.size(), Code::internal, "every step ends",
            fmt::format("the run stopped after {} of {} steps", ended, plan.steps.size()));
    return timeline;
}

}  // namespace gemmill
