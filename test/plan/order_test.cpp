// SPDX-License-Identifier: Apache-2.0
// The rule of queues and waits: what may start when, and what surely comes before what.
#include "plan/order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "plan/check/happens.hpp"
#include "support/rich_plan.hpp"

namespace gemmill::test {
namespace {

using Ids = std::vector<StepId>;

TEST(Order, queues_are_first_in_first_out) {
    Order order(2);
    Ids ready;
    order.submit(0, 0, {}, ready);
    order.submit(1, 0, {}, ready);
    order.submit(2, 1, {}, ready);
    EXPECT_EQ(ready, (Ids{0, 2}));
    ready.clear();
    order.complete(0, ready);
    EXPECT_EQ(ready, Ids{1});
    order.complete(2, ready);
    EXPECT_EQ(ready, Ids{1});
}

TEST(Order, waits_hold_until_the_last_has_ended) {
    Order order(3);
    Ids ready;
    order.submit(0, 0, {}, ready);
    order.submit(1, 1, {}, ready);
    const StepId waits[] = {0, 1, 1};
    order.submit(2, 2, waits, ready);
    ready.clear();
    order.complete(1, ready);
    EXPECT_TRUE(ready.empty());
    order.complete(0, ready);
    EXPECT_EQ(ready, Ids{2});
}

TEST(Order, what_has_ended_holds_nothing) {
    Order order(2);
    Ids ready;
    order.submit(0, 0, {}, ready);
    order.complete(0, ready);
    ready.clear();
    const StepId waits[] = {0};
    order.submit(1, 1, waits, ready);
    order.submit(2, 0, {}, ready);
    EXPECT_EQ(ready, (Ids{1, 2}));
}

TEST(Order, a_step_never_submitted_holds_forever) {
    Order order(1);
    Ids ready;
    const StepId waits[] = {7};
    order.submit(0, 0, waits, ready);
    order.submit(1, 0, {}, ready);
    EXPECT_TRUE(ready.empty());
}

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
