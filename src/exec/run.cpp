// SPDX-License-Identifier: Apache-2.0
#include "exec/run.hpp"

#include <fmt/format.h>

#include <cstring>

namespace gemmill {
namespace {

std::string describe(const Plan& plan, const Completion& done) {
    const Step& step = plan.steps[static_cast<std::size_t>(done.step)];
    return fmt::format("step {} ({} of {} on {}): {}", done.step, name_of(step.op),
                       name_of(plan, plan.tiles[static_cast<std::size_t>(step.out.tile)]),
                       name_of(plan, plan.queues[static_cast<std::size_t>(step.queue)]), done.text);
}

/// A session with every step of the plan submitted.
std::unique_ptr<Session> start(const Plan& plan, Backend& backend, const Binding& binding) {
    std::unique_ptr<Session> session = backend.open(plan, binding);
    const auto count = static_cast<StepId>(plan.steps.size());
    for (StepId step = 0; step < count; ++step) session->submit(step);
    return session;
}

void require_ok(const Plan& plan, const Completion& done) {
    if (done.code != Code::ok) throw Error(done.code, describe(plan, done));
}

}  // namespace

std::optional<Completion> Session::wait() {
    std::optional<Completion> failure;
    while (auto done = next())
        if (!failure && done->code != Code::ok) failure = std::move(done);
    return failure;
}

void Backend::copy(void* to, const void* from, std::size_t bytes) { std::memmove(to, from, bytes); }

std::int64_t Backend::room(MemoryId memory) const {
    return machine().memories[static_cast<std::size_t>(memory)].capacity;
}

Timeline run(const Plan& plan, Backend& backend, const Binding& binding) {
    Timeline timeline(plan.steps.size());
    const std::unique_ptr<Session> session = start(plan, backend, binding);
    std::size_t ended = 0;
    while (const auto done = session->next()) {
        require_ok(plan, *done);
        timeline[static_cast<std::size_t>(done->step)] = done->time;
        ++ended;
    }
    require(ended == plan.steps.size(), Code::internal, "every step ends",
            fmt::format("the run stopped after {} of {} steps", ended, plan.steps.size()));
    return timeline;
}

void run_untimed(const Plan& plan, Backend& backend, const Binding& binding) {
    Binding untimed = binding;
    untimed.timed = false;
    if (const auto failure = start(plan, backend, untimed)->wait()) require_ok(plan, *failure);
}

}  // namespace gemmill
