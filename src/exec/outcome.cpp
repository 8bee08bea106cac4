// SPDX-License-Identifier: Apache-2.0
#include "exec/outcome.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "plan/access.hpp"

namespace gemmill {
namespace {

/// A write, or a kernel that makes a tile of the target where it lives.
bool writes_home(const Plan& plan, const Step& step) {
    return step.out.buffer == Ref::home && is_target(plan, tile_of(plan, step.out));
}

}  // namespace

bool Outcome::complete() const {
    return failures.empty() && std::ranges::find(ended, false) == ended.end();
}

Outcome carry_out(const Plan& plan, Backend& backend, const Binding& binding) {
    const std::size_t count = plan.steps.size();
    Outcome outcome{Timeline(count), std::vector<bool>(count, false), {}};
    const std::unique_ptr<Session> session = backend.open(plan, binding);
    for (StepId id = 0; id < static_cast<StepId>(count); ++id) session->submit(id);
    if (!binding.timed && session->wait()) {
        outcome.ended.assign(count, true);
        return outcome;
    }
    while (auto done = session->next()) {
        const auto i = static_cast<std::size_t>(done->step);
        outcome.ended[i] = done->code == Code::ok;
        outcome.times[i] = done->time;
        if (done->code != Code::ok) outcome.failures.push_back(*std::move(done));
    }
    return outcome;
}

std::vector<TileId> written_tiles(const Plan& plan, const Outcome& outcome) {
    std::vector<TileId> tiles;
    for (std::size_t i = 0; i < plan.steps.size(); ++i)
        if (outcome.ended[i] && writes_home(plan, plan.steps[i]))
            tiles.push_back(plan.steps[i].out.tile);
    return tiles;
}

std::string describe_failure(const Plan& plan, const Completion& failure) {
    const Step& step = plan.steps[static_cast<std::size_t>(failure.step)];
    return fmt::format("step {} ({} of {} on {}): {}", failure.step, name_of(step.op),
                       name_of(plan, tile_of(plan, step.out)),
                       name_of(plan, plan.queues[static_cast<std::size_t>(step.queue)]),
                       failure.text);
}

void require_complete(const Plan& plan, const Outcome& outcome) {
    if (outcome.complete()) return;
    const auto ended = std::ranges::count(outcome.ended, true);
    require(!outcome.failures.empty(), Code::internal, "every step ends",
            fmt::format("the run stopped after {} of {} steps", ended, plan.steps.size()));
    const auto all = std::ranges::count_if(
        plan.steps, [&](const Step& step) { return writes_home(plan, step); });
    const Completion& first = outcome.failures.front();
    throw Error(first.code,
                fmt::format("{}; {} of {} tiles of {} are written", describe_failure(plan, first),
                            written_tiles(plan, outcome).size(), all, target_of(plan).name));
}

}  // namespace gemmill
