// SPDX-License-Identifier: Apache-2.0
#include "schedule/recipe/rerun.hpp"

#include <gtest/gtest.h>

#include "schedule/schedule.hpp"
#include "support/schedule_case.hpp"

namespace gemmill::test {
namespace {

class RerunTest : public ::testing::Test {
  protected:
    RerunTest() {
        p_.m = p_.n = p_.k = 8192;
        frame_ = frame_of(p_, load_machine("hgx-a100-8"));
    }
    Plan plan(const char* policy) {
        frame_.policy = policy;
        return schedule_on_clock(frame_, tasks_of(p_, {512, 512, 8192}), {});
    }
    Problem p_;
    Plan frame_;
};

TEST_F(RerunTest, only_policy_tail_has_a_deal) {
    EXPECT_TRUE(rerun_of(plan("dynamic"), p_, "dynamic").deal.empty());
    const Rerun again = rerun_of(plan("dynamic"), p_, "tail");
    std::size_t dealt = 0;
    for (const auto& lane : again.deal) dealt += lane.size();
    EXPECT_EQ(again.tasks.tasks.size(), 256u);
    EXPECT_EQ(dealt, 217u) << "85 %";
    EXPECT_TRUE(decides_again("tail") && decides_again("dynamic"));
    EXPECT_FALSE(decides_again("best"));
}

TEST_F(RerunTest, plans_of_other_policies_run_as_they_are) {
    const Disturbance slow{.is_link = false, .index = 3, .rate = 0.25};
    const Plan planned = plan("best");
    EXPECT_EQ(run_disturbed(planned, p_, {&slow, 1}), simulate(planned, {&slow, 1}));
    for (const char* policy : {"dynamic", "tail"})
        EXPECT_LT(makespan(run_disturbed(plan(policy), p_, {&slow, 1})),
                  0.95 * makespan(simulate(planned, {&slow, 1})));
}

/// loewe-node: a GPU and a CPU, which has a queue in plans in which it had something to do.
class RerunBeside : public ::testing::Test {
  protected:
    RerunBeside() : machine_(load_machine("loewe-node")) {
        p_.m = p_.n = p_.k = 8192;
        p_.beta = Factor::general;
    }
    Plan plan(std::vector<DeviceId> devices) {
        Plan frame = frame_of(p_, machine_);
        frame.devices = std::move(devices);
        Plan made = schedule_on_clock(frame, tasks_of(p_, {1024, 1024, 1024}), {});
        made.devices = {0, 1};
        return made;
    }
    std::vector<DeviceId> devices(const Plan& plan, double part) {
        return rerun_of(plan, p_, "dynamic", part).frame.devices;
    }
    using Devices = std::vector<DeviceId>;
    const Machine machine_;
    Problem p_;
};

TEST_F(RerunBeside, a_cpu_that_does_not_pay_is_left_out) {
    EXPECT_EQ(devices(plan({0, 1}), ScheduleOptions::by_rate), (Devices{0, 1}));
    EXPECT_EQ(devices(plan({0, 1}), 0.2), (Devices{0, 1}));
    EXPECT_EQ(devices(plan({0, 1}), 0), (Devices{0}));
}

TEST_F(RerunBeside, a_cpu_for_which_the_plan_knew_nothing_is_asked_again_for_rectangles) {
    EXPECT_EQ(devices(plan({0}), ScheduleOptions::by_rate), (Devices{0}));
    EXPECT_EQ(devices(plan({0}), ScheduleOptions::probe), (Devices{0, 1}));
    EXPECT_EQ(devices(plan({0}), 0.2), (Devices{0, 1})) << "as it turned out to be worth";
    p_.routine = Routine::trsm;
    p_.beta = Factor::zero;
    EXPECT_EQ(devices(plan({0}), ScheduleOptions::probe), (Devices{0}));
}

}  // namespace
}  // namespace gemmill::test
