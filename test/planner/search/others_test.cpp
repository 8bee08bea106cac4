// SPDX-License-Identifier: Apache-2.0
#include "planner/search/others.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "gemmill/plan.hpp"
#include "machine/reach.hpp"
#include "planner/candidate/start/starts.hpp"
#include "planner/search/trials.hpp"
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

/// The first answer is that of named policies, then come those of the scheduler.
OthersBest best_named(const Draft& frame, double work) {
    return ask_others(frame, named_of(frame), no_help, {work, true}).front()();
}

TEST(Others, have_the_fastest_plan_of_all_named_policies) {
    const Draft frame = some_frame();
    const OthersBest best = best_named(frame, plenty);
    ASSERT_TRUE(std::isfinite(best.seconds));
    EXPECT_GE(best.tried.size(), named_of(frame).size());
    EXPECT_EQ(best.seconds, std::ranges::min(best.tried, {}, &Tried::seconds).seconds);
    EXPECT_TRUE(validate(best.plan).empty());
    const OthersBest again = best_named(frame, plenty);
    EXPECT_EQ(again.seconds, best.seconds);
    EXPECT_EQ(again.plan.steps, best.plan.steps);
}

TEST(Others, offer_nothing_without_work) {
    const OthersBest best = best_named(some_frame(), 1);
    EXPECT_TRUE(std::isinf(best.seconds));
    EXPECT_TRUE(best.tried.empty());
}

/// What is too dear as it is comes with larger tiles, in place of no plan at all.
TEST(Others, take_larger_tiles_where_there_is_little_work) {
    const Draft frame = some_frame();
    const OthersBest some = best_named(frame, 200), best = best_named(frame, plenty);
    ASSERT_TRUE(std::isfinite(some.seconds));
    EXPECT_TRUE(validate(some.plan).empty());
    EXPECT_LT(some.plan.steps.size(), best.plan.steps.size());
    EXPECT_GE(some.seconds, best.seconds);
}

/// None of them keeps another from being tried as it is.
TEST(Others, have_threads_of_their_own_where_they_are_too_much_together) {
    const Draft frame = some_frame();
    double all = 0, dearest = 0;
    for (const Candidate& c : named_of(frame)) {
        all += work_of(frame, c);
        dearest = std::max(dearest, work_of(frame, c));
    }
    const double work = 2 * dearest;
    ASSERT_LT(work, all);
    const auto answers = ask_others(frame, named_of(frame), no_help, {work, true});
    EXPECT_GT(answers.size(), 1u);
    double best = INFINITY;
    for (const auto& answer : answers) best = std::min(best, answer().seconds);
    EXPECT_EQ(best, best_named(frame, plenty).seconds);
}

/// The scheduler has the same work on all devices and on half of them; and as a call of its own
/// policy what that has, and its plan is simulated when it is known what it must beat.
TEST(Others, the_scheduler_is_asked_for_all_devices_and_for_half_of_them) {
    const Draft frame = some_frame();
    std::vector<std::size_t> devices;
    std::vector<std::string> policies;
    constexpr double of_a_call = plenty / 3;
    const Help help{[&](const Plan& plan, const Problem&, const Options& options,
                        const Allowance& allowance) -> Offer {
                        const bool as_a_call = options.policy == "dynamic";
                        EXPECT_GT(allowance.steps, plenty / 10);
                        EXPECT_EQ(allowance.steps == of_a_call, as_a_call);
                        EXPECT_EQ(allowance.predicted, !as_a_call);
                        EXPECT_TRUE(std::isfinite(allowance.most));
                        devices.push_back(plan.devices.size());
                        policies.push_back(options.policy);
                        Plan made = plan;
                        made.prediction.seconds = static_cast<double>(plan.devices.size());
                        return {made, 1};
                    },
                    {}};
    const auto answers = ask_others(frame, named_of(frame), help, {plenty, true, of_a_call});
    ASSERT_EQ(answers.size(), 4u);
    EXPECT_EQ(answers[1]().seconds, 8);
    const OthersBest dynamic = answers[2]();
    EXPECT_EQ(dynamic.seconds, 8);
    EXPECT_FALSE(dynamic.simulated);
    EXPECT_EQ(answers[3]().seconds, 4);
    EXPECT_EQ(devices, (std::vector<std::size_t>{8, 8, 4}));
    EXPECT_EQ(policies, (std::vector<std::string>{frame.policy, "dynamic", frame.policy}));
}

/// So that what is planned without it is planned with it as well.
TEST(Others, the_scheduler_has_no_less_to_plan_where_a_cpu_stands_beside_others) {
    Draft frame = frame_of(load_machine("makalu"), problem_of(20000, 20000, {0, 0, 0}));
    const double all = scheduler_steps(frame, 0), given = scheduler_steps(frame, plenty);
    std::erase_if(frame.devices, [&](DeviceId d) { return is_host_device(frame.machine, d); });
    ASSERT_LT(frame.devices.size(), frame.machine.devices.size());
    EXPECT_EQ(scheduler_steps(frame, 0), all);
    EXPECT_EQ(scheduler_steps(frame, plenty), given);
    EXPECT_GT(given, all);
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
    const auto answers = ask_others(frame, named_of(frame), help, {plenty, true});
    EXPECT_EQ(asked, 1);
    EXPECT_EQ(waited, 0);
    EXPECT_EQ(answers.front()().seconds, best_named(frame, plenty).seconds);
    EXPECT_EQ(waited, 1);
}

}  // namespace
}  // namespace gemmill::test
