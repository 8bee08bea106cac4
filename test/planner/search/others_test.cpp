// SPDX-License-Identifier: Apache-2.0
#include "planner/search/others.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "gemmill/plan.hpp"
#include "planner/search/starts.hpp"
#include "support/frame.hpp"
#include "support/machines.hpp"

namespace gemmill::test {
namespace {

constexpr double plenty = 1e6;
const Help no_help;

Draft some_frame() {
    return frame_of(load_machine("hgx-a100-8"), problem_of(6000, 4000, {0, 0, 0}));
}

std::vector<Candidate> named_of(const Draft& frame) {
    return named_on(frame, start_for(frame), frame.devices);
}

TEST(Others, have_the_fastest_plan_of_all_named_policies) {
    const Draft frame = some_frame();
    const OthersBest best = ask_others(frame, named_of(frame), no_help, plenty)();
    ASSERT_TRUE(std::isfinite(best.seconds));
    EXPECT_EQ(best.tried.size(), named_of(frame).size());
    EXPECT_EQ(best.seconds, std::ranges::min(best.tried, {}, &Tried::seconds).seconds);
    EXPECT_TRUE(validate(best.plan).empty());
    const OthersBest again = ask_others(frame, named_of(frame), no_help, plenty)();
    EXPECT_EQ(again.seconds, best.seconds);
    EXPECT_EQ(again.plan.steps, best.plan.steps);
}

TEST(Others, offer_nothing_without_work) {
    const Draft frame = some_frame();
    const OthersBest best = ask_others(frame, named_of(frame), no_help, 1)();
    EXPECT_TRUE(std::isinf(best.seconds));
    EXPECT_TRUE(best.tried.empty());
}

/// The scheduler is told what it has to beat, and gets what named policies leave.
TEST(Others, a_plan_of_the_scheduler_is_taken_when_it_is_faster) {
    const Draft frame = some_frame();
    Allowance given;
    const auto offer = [&](double faster) {
        return [&given, faster](const Plan& plan, const Problem&, const Options&,
                                const Allowance& allowance) -> Offer {
            given = allowance;
            Plan made = plan;
            made.prediction.seconds = allowance.seconds * faster;
            return {made, 1};
        };
    };
    const double named = ask_others(frame, named_of(frame), no_help, plenty)().seconds;
    const Help slower{offer(1.5), {}}, faster{offer(0.5), {}};
    EXPECT_EQ(ask_others(frame, named_of(frame), slower, plenty)().seconds, named);
    EXPECT_EQ(given.seconds, named);
    EXPECT_GT(given.steps, plenty / 10);
    const OthersBest best = ask_others(frame, named_of(frame), faster, plenty)();
    EXPECT_EQ(best.seconds, 0.5 * named);
    EXPECT_EQ(best.tried.size(), named_of(frame).size() + 1);
}

TEST(Others, are_asked_aside_where_that_can_be) {
    const Draft frame = some_frame();
    int asked = 0, waited = 0;
    const Help help{{}, [&](const std::function<void()>& work) -> std::function<void()> {
                        ++asked;
                        return [&waited, work] {
                            ++waited;
                            work();
                        };
                    }};
    const auto answer = ask_others(frame, named_of(frame), help, plenty);
    EXPECT_EQ(asked, 1);
    EXPECT_EQ(waited, 0);
    EXPECT_EQ(answer().seconds, ask_others(frame, named_of(frame), no_help, plenty)().seconds);
    EXPECT_EQ(waited, 1);
}

}  // namespace
}  // namespace gemmill::test
