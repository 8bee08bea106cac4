// SPDX-License-Identifier: Apache-2.0
// Calls under policy dynamic: decided while they run, on the CPU and on GPUs, and recorded.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/state.hpp"
#include "backend/cpu/cpu.hpp"
#include "backend/cpu/probe.hpp"
#include "backend/gpu/gpu.hpp"
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

std::unique_ptr<Backend> two_fake_gpus() {
    FakeGpus::instance().reset();
    GpuSetup setup;
    setup.driver = &fake_gpu_driver();
    setup.machine =
        synthetic_machine("gpu:2(mem=1GB,d=1T,s=1T,c=1T,z=1T) nvlink:100GB/s pcie:10GB/s");
    setup.ordinals = {-1, 0, 1};
    setup.staging = {2, 4, 1024};
    return std::make_unique<GpuBackend>(setup);
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
                         ::testing::Combine(::testing::Values(three_cpus, two_fake_gpus),
                                            ::testing::Values("dynamic", "tail")));

}  // namespace
}  // namespace gemmill::test
