// SPDX-License-Identifier: Apache-2.0
// Calls under policy dynamic: decided while they run, on the CPU and on GPUs, and recorded.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/learn/contribution.hpp"
#include "api/state.hpp"
#include "backend/cpu/cpu.hpp"
#include "backend/cpu/probe.hpp"
#include "backend/gpu/gpu.hpp"
#include "backend/joined/joined.hpp"
#include "exec/run.hpp"
#include "kernel/reference/reference.hpp"
#include "support/fake_gpu.hpp"
#include "support/goal_case.hpp"
#include "support/level3_case.hpp"
#include "task/describe.hpp"

namespace gemmill::test {
namespace {

std::unique_ptr<Backend> three_cpus() {
    HostFacts facts;
    facts.cores = 3, facts.hertz = 1e9, facts.memory = 1 << 30;
    return std::make_unique<CpuBackend>(
        CpuSetup{cpu_machine(host_machine(facts), 3), reference_kernels(), 2, allocate_host});
}

GpuSetup two_gpus() {
    FakeGpus::instance().reset();
    GpuSetup setup;
    setup.driver = &fake_gpu_driver();
    setup.machine =
        synthetic_machine("gpu:2(mem=1GB,d=1T,s=1T,c=1T,z=1T) nvlink:100GB/s pcie:10GB/s");
    setup.ordinals = {-1, 0, 1};
    setup.staging = {2, 4, 1024};
    return setup;
}

std::unique_ptr<Backend> two_fake_gpus() { return std::make_unique<GpuBackend>(two_gpus()); }

std::unique_ptr<Backend> gpus_and_cpu() {
    JoinedSetup setup;
    setup.gpus = two_gpus();
    setup.cpu.name = "cpu";
    setup.cpu.bandwidth = 1e12;
    setup.cpu.peak.fill(1e12);
    setup.kernels.kernels = reference_kernels();
    return std::make_unique<JoinedBackend>(std::move(setup));
}

using Devices = std::unique_ptr<Backend> (*)();
class DynamicCalls : public ::testing::TestWithParam<std::tuple<Devices, const char*>> {};

TEST_P(DynamicCalls, are_right_and_recorded) {
    Random random(1);
    Options options;
    const auto [devices, policy] = GetParam();
    options.policy = policy;
    options.validate = true;
    Context::State state(options, devices());
    int told = 0;
    Plan plan;
    state.observer = [&](const Report& report) {
        ++told;
        plan = report.plan;
        EXPECT_EQ(report.timeline.size(), report.plan.steps.size());
        EXPECT_GT(report.plan.prediction.seconds, 0);
    };
    for (const Routine routine : level3_routines)
        for (int i = 0; i < affordable(6); ++i) {
            Problem p = random_level3(random, routine, 40);
            if (p.m == 0 || p.n == 0) continue;
            state.options.tile = random.between(5, 40);
            Plan frame;
            frame.machine = state.machine();
            describe(p, frame);
            GoalCase x(frame, random);
            const int before = told;
            run_problem(state, p, x.binding());
            ASSERT_TRUE(x.check()) << describe(p);
            ASSERT_EQ(told, before + 1);
            ASSERT_EQ(plan.policy, options.policy);
            ASSERT_THAT(validate(plan), ::testing::IsEmpty()) << describe(p);
            x.reset();
            run(plan, *state.backend, x.binding());
            ASSERT_TRUE(x.check()) << "replayed " << describe(p);
        }
    EXPECT_GT(told, 4 * affordable(6));
}

INSTANTIATE_TEST_SUITE_P(Backends, DynamicCalls,
                         ::testing::Combine(::testing::Values(three_cpus, two_fake_gpus,
                                                              gpus_and_cpu),
                                            ::testing::Values("dynamic", "tail")));

/// Calls of one class: shared, by the GPUs alone, shared again; all right, and counted.
TEST(DynamicBesideGpus, the_cpu_has_its_part_and_it_is_told) {
    Random random(2);
    Options options;
    options.policy = "dynamic";
    options.tile = 10;
    Context::State state(options, gpus_and_cpu());
    std::vector<double> parts;
    state.observer = [&](const Report& report) { parts.push_back(cpu_part(report.plan)); };
    Problem p;
    p.m = p.n = p.k = 90;
    p.alpha = p.beta = Factor::general;
    for (int call = 0; call < 3; ++call) {
        Plan frame;
        frame.machine = state.machine();
        describe(p, frame);
        GoalCase x(frame, random);
        run_problem(state, p, x.binding());
        ASSERT_TRUE(x.check());
    }
    ASSERT_EQ(parts.size(), 3U);
    EXPECT_GT(parts[0], 0);
    EXPECT_EQ(parts[1], 0) << "the second is the GPUs' alone";
    EXPECT_GT(parts[2], 0);
    EXPECT_THAT(state.contribution.text(), ::testing::StartsWith("the CPU made "));
}

/// Devices of which the machine says that they do so many flops a second; they do about 1e9.
class AutoCalls : public ::testing::Test {
  protected:
    void open(double peak) {
        HostFacts facts;
        facts.cores = 2, facts.hertz = 1e9, facts.memory = 1 << 30;
        Machine machine = cpu_machine(host_machine(facts), 2);
        for (Device& device : machine.devices)
            for (double& each : device.peak) each = peak;
        Options options;
        options.policy = "auto";
        state_.emplace(options, std::make_unique<CpuBackend>(
                                    CpuSetup{machine, reference_kernels(), 1, allocate_host}));
        state_->observer = [this](const Report& report) {
            policies_.push_back(report.plan.policy);
            ratio_ = report.model_ratio;
        };
    }
    void call(index_t n, int times) {
        Problem p;
        p.m = p.n = p.k = n;
        Plan frame;
        frame.machine = state_->machine();
        describe(p, frame);
        Random random(4);
        GoalCase x(frame, random);
        for (int i = 0; i < times; ++i) {
            x.reset();
            run_problem(*state_, p, x.binding());
            ASSERT_TRUE(x.check()) << "call " << i;
        }
    }
    std::optional<Context::State> state_;
    std::vector<std::string> policies_;
    double ratio_ = 0;
};

TEST_F(AutoCalls, run_as_planned_first_and_decide_again_where_the_model_is_far_wrong) {
    open(1e11);
    call(500, 4);
    EXPECT_THAT(policies_, ::testing::ElementsAre("best", "best", "dynamic", "dynamic"));
    EXPECT_GT(ratio_, 1.5);
}

TEST_F(AutoCalls, run_as_planned_where_they_are_no_slower_than_predicted) {
    open(1e6);
    call(60, 4);
    EXPECT_THAT(policies_, ::testing::Each(std::string("best")));
    EXPECT_GT(ratio_, 0);
    EXPECT_LT(ratio_, 1.15);
}

TEST_F(AutoCalls, that_are_short_keep_no_books) {
    open(1e13);
    call(40, 4);
    EXPECT_THAT(policies_, ::testing::Each(std::string("best")));
    EXPECT_EQ(ratio_, 0);
    EXPECT_EQ(state_->trust.text(), "");
}

TEST_F(AutoCalls, with_a_plan_of_the_caller_run_it) {
    open(1e11);
    state_->adopted = true;
    call(500, 4);
    EXPECT_THAT(policies_, ::testing::Each(std::string("best")));
}

}  // namespace
}  // namespace gemmill::test
