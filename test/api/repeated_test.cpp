// SPDX-License-Identifier: Apache-2.0
// Plans of calls that repeat.
#include <gtest/gtest.h>

#include <algorithm>

#include "api/state.hpp"
#include "backend/gpu/gpu.hpp"
#include "support/fake_gpu.hpp"

namespace gemmill::test {
namespace {

/// Eight GPUs, and a problem that five milliseconds are too short for; nothing of it is run.
class Repeated : public ::testing::Test {
  protected:
    static Context::State state_of(const Options& options) {
        FakeGpus::instance().reset();
        GpuSetup setup;
        setup.driver = &fake_gpu_driver();
        setup.machine = load_machine("hgx-a100-8");
        for (const Memory& memory : setup.machine.memories)
            setup.ordinals.push_back(memory.kind == MemoryKind::host ? -1 : 0);
        return {options, std::make_unique<GpuBackend>(setup)};
    }
    Repeated() {
        problem_.routine = Routine::symm;
        problem_.side = Side::Right, problem_.uplo = Uplo::Upper;
        problem_.m = 15384, problem_.n = problem_.k = 10330;
        problem_.alpha = Factor::general, problem_.beta = Factor::zero;
    }
    /// Plans of so many calls, and how many of them took time.
    std::vector<std::shared_ptr<const Plan>> plans(Context::State& state, int calls) {
        std::vector<std::shared_ptr<const Plan>> all;
        searches_ = 0;
        for (int i = 0; i < calls; ++i) {
            double seconds = 0;
            all.push_back(state.plan_of_call(problem_, &seconds));
            searches_ += seconds > 0;
        }
        return all;
    }

    Problem problem_;
    int searches_ = 0;
};

TEST_F(Repeated, calls_get_a_plan_that_was_looked_for_longer) {
    Context::State state = state_of({});
    const auto all = plans(state, 120);
    EXPECT_EQ(searches_, 2) << "the first one, and one more";
    const auto changed = std::ranges::adjacent_find(all, std::ranges::not_equal_to{});
    ASSERT_NE(changed, all.end());
    EXPECT_EQ(changed - all.begin() + 2, 50);
    EXPECT_LT(all.back()->prediction.seconds, 0.98 * all.front()->prediction.seconds);
    EXPECT_EQ(all.back(), all[60]);
}

TEST_F(Repeated, who_asks_for_a_plan_makes_no_call) {
    Context::State state = state_of({});
    double seconds = 0;
    const auto first = state.plan(problem_, &seconds);
    for (int i = 0; i < 100; ++i) EXPECT_EQ(state.plan(problem_, &seconds), first);
}

TEST_F(Repeated, under_best_all_calls_have_the_same_plan) {
    Options options;
    options.policy = "best";
    Context::State state = state_of(options);
    const auto all = plans(state, 120);
    EXPECT_EQ(searches_, 1);
    EXPECT_EQ(all.back(), all.front());
}

TEST_F(Repeated, a_plan_for_little_memory_stays) {
    Context::State state = state_of({});
    double seconds = 0;
    const auto large = state.plan(problem_, &seconds);
    const auto small = state.plan_smaller(problem_, *large, &seconds);
    EXPECT_EQ(plans(state, 120).back(), small);
    EXPECT_EQ(searches_, 0);
}

}  // namespace
}  // namespace gemmill::test
