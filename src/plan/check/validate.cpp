// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "plan/access.hpp"
#include "plan/check/faults.hpp"

namespace gemmill {

namespace {

/// Cells that all steps touch, in sum.
std::size_t visits(const Plan& plan, const Cells& cells) {
    std::size_t sum = 0;
    for (const Step& step : plan.steps)
        for (const Ref& ref : {step.out, step.in[0], step.in[1]})
            if (ref.tile >= 0) sum += cells.count(ref.buffer, touched(plan, step, ref));
    return sum;
}

}  // namespace

std::vector<std::string> validate(const Plan& plan) {
    constexpr std::size_t most_cells = 1 << 25, most_visits = std::size_t{1} << 31,
                          most_clocks = std::size_t{1} << 30;  // some GB, some seconds
    Faults faults;
    for (const std::string& fault : check(plan.machine)) faults.add("machine: " + fault);
    if (faults.empty()) check_goal(plan, faults);
    if (faults.empty()) check_structure(plan, faults);
    if (faults.empty()) check_instructions(plan, faults);
    if (!faults.empty()) return faults.take();
    const Cells cells(plan);
    if (cells.count() > most_cells) {
        faults.add(
            fmt::format("steps cut buffers and the target into {} parts, too many", cells.count()));
    } else if (plan.steps.size() * plan.queues.size() > most_clocks) {
        faults.add(fmt::format("{} steps on {} queues are too many", plan.steps.size(),
                               plan.queues.size()));
    } else if (visits(plan, cells) > most_visits) {
        faults.add(
            fmt::format("steps touch more than {} parts of buffers and the target", most_visits));
    } else {
        check_races(plan, cells, faults);
        check_sums(plan, cells, faults);
    }
    return faults.take();
}

}  // namespace gemmill
