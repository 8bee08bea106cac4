// SPDX-License-Identifier: Apache-2.0
// What surely comes before what.
#include "plan/check/happens.hpp"

#include <gtest/gtest.h>

#include <set>

#include "support/rich_plan.hpp"

namespace gemmill::test {
namespace {

/// Reachability over queue and wait edges, the slow way.
std::vector<std::set<StepId>> ancestors(const Plan& plan) {
    std::vector<std::set<StepId>> all(plan.steps.size());
    std::vector<StepId> last(plan.queues.size(), -1);
    for (std::size_t i = 0; i < plan.steps.size(); ++i) {
        const auto add = [&](StepId before) {
            const auto& theirs = all[static_cast<std::size_t>(before)];
            all[i].insert(before);
            all[i].insert(theirs.begin(), theirs.end());
        };
        StepId& previous = last[static_cast<std::size_t>(plan.steps[i].queue)];
        if (previous >= 0) add(previous);
        for (const StepId wait : waits_of(plan, plan.steps[i])) add(wait);
        previous = static_cast<StepId>(i);
    }
    return all;
}

TEST(HappensBefore, is_reachability) {
    Random random(1);
    for (int i = 0; i < affordable(60); ++i) {
        const Machine machine = random_machine(random);
        const Plan plan = random.chance(50) ? rich_plan(random) : small_plan(machine, 8, 3);
        const HappensBefore before(plan);
        const auto truth = ancestors(plan);
        for (StepId later = 0; later < std::ssize(plan.steps); ++later)
            for (StepId earlier = 0; earlier < std::ssize(plan.steps); ++earlier)
                ASSERT_EQ(before(earlier, later),
                          truth[static_cast<std::size_t>(later)].contains(earlier))
                    << earlier << " before " << later << ", " << to_string(plan);
    }
}

}  // namespace
}  // namespace gemmill::test
