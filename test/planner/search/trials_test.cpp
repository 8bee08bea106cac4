// SPDX-License-Identifier: Apache-2.0
#include "planner/search/trials.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "gemmill/error.hpp"
#include "model/engine.hpp"
#include "planner/candidate/start/starts.hpp"
#include "support/frame.hpp"

namespace gemmill::test {
namespace {

constexpr double no_limit = std::numeric_limits<double>::infinity(), many = 1e7;

Draft some_frame() {
    return frame_of(load_machine("hgx-a100-8"), problem_of(6000, 4000, {0, 0, 0}));
}

TEST(Trials, predict_what_the_model_does_one_after_the_other) {
    const Draft frame = some_frame();
    Trials trials(frame, nullptr);
    double spent = 0;
    for (int again = 0; again < 2; ++again)
        for (const Candidate& c : coarse_strips(frame, start_for(frame))) {
            const double seconds = trials.make(c, no_limit, many);
            EXPECT_EQ(seconds, makespan(simulate(trials.last())));
            EXPECT_TRUE(validate(trials.last()).empty());
            const PlanCost cost = cost_of(frame, c);
            const auto steps = static_cast<double>(trials.last().steps.size());
            EXPECT_GE(trials.spent(), spent + cost.fixed + (cost.make + cost.simulate) * steps);
            spent = trials.spent();
        }
}

TEST(Trials, simulate_a_plan_that_was_made_elsewhere) {
    const Draft frame = some_frame();
    Trials elsewhere(frame, nullptr), trials(frame, nullptr);
    const double seconds =
        elsewhere.make(coarse_strips(frame, start_for(frame)).front(), no_limit, many);
    trials.adopt(elsewhere.last());
    EXPECT_EQ(trials.simulate_last(no_limit), seconds);
    EXPECT_EQ(trials.simulate_last(seconds), seconds);
    EXPECT_TRUE(std::isinf(trials.simulate_last(seconds / 2)));
}

TEST(Trials, give_up_what_is_too_slow) {
    const Draft frame = some_frame();
    std::vector<Tried> tried;
    Trials trials(frame, &tried);
    const Candidate c = coarse_strips(frame, start_for(frame)).front();
    const double seconds = trials.make(c, no_limit, many), whole = trials.spent();
    EXPECT_TRUE(std::isinf(trials.make(c, seconds / 2, many)));
    EXPECT_LT(trials.spent(), 2 * whole);
    ASSERT_EQ(tried.size(), 2U);
    EXPECT_EQ(tried[0].seconds, seconds);
    EXPECT_EQ(tried[1].seconds, seconds / 2);
    EXPECT_TRUE(tried[0].strips);
}

TEST(Trials, keep_a_plan_while_others_are_made) {
    const Draft frame = some_frame();
    Trials trials(frame, nullptr);
    const std::vector<Candidate> some = coarse_strips(frame, start_for(frame));
    const double seconds = trials.make(some[0], no_limit, many);
    const std::vector<Step> steps = trials.last().steps;
    trials.keep();
    trials.make(some[1], no_limit, many);
    EXPECT_EQ(trials.kept().steps, steps);
    const Draft plan = std::move(trials).finish(seconds);
    EXPECT_EQ(plan.steps, steps);
    EXPECT_EQ(plan.prediction, predict(plan, simulate(plan)));
}

TEST(Trials, too_many_products_are_no_plan) {
    const Draft frame = some_frame();
    Trials trials(frame, nullptr);
    Candidate c = start_for(frame);
    c.policy.order = Sequence::panels;
    c.choice.tile = {500, 500, 500};
    EXPECT_TRUE(std::isinf(trials.attempt(c, no_limit, 10)));
    EXPECT_THROW(trials.make(c, no_limit, 10), Error);
    EXPECT_TRUE(std::isfinite(trials.attempt(c, no_limit, many)));
}

TEST(Trials, stay_within_the_work_that_is_allowed) {
    const Draft frame = some_frame();
    for (const Candidate& c : named_on(frame, start_for(frame), frame.devices)) {
        Trials trials(frame, nullptr);
        constexpr double allowed = 300, step = 2;
        trials.attempt(c, no_limit, allowed);
        EXPECT_LE(trials.spent(), allowed + step) << c.policy.name;
    }
}

}  // namespace
}  // namespace gemmill::test
