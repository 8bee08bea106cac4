// SPDX-License-Identifier: Apache-2.0
// What a call does when its devices are not what they were.
#include <gtest/gtest.h>

#include "api/state.hpp"
#include "backend/gpu/gpu.hpp"
#include "gemmill/error.hpp"
#include "support/fake_gpu.hpp"
#include "support/gemm_case.hpp"

namespace gemmill::test {
namespace {

std::unique_ptr<Context::State> state_on_fake_gpus(const char* devices = "cuda") {
    FakeGpus::instance().reset();
    GpuSetup setup;
    setup.driver = &fake_gpu_driver();
    setup.machine = synthetic_machine("gpu:2(mem=1GB,d=1T) nvlink:100GB/s pcie:10GB/s");
    setup.ordinals = {-1, 0, 1};
    setup.staging = {2, 4, 1024};
    Options options;
    options.devices = devices;
    OpenDevices opened = std::make_unique<GpuBackend>(setup);
    opened.host = probe_host().devices.front();
    return std::make_unique<Context::State>(options, std::move(opened));
}

Problem square(index_t n) {
    Problem p;
    p.m = p.n = p.k = n;
    p.alpha = p.beta = Factor::general;
    return p;
}

TEST(RunProblem, memory_that_is_gone_makes_a_smaller_plan) {
    Random random(1);
    const Problem p = square(96);
    double seconds = 0;
    const std::int64_t slab = state_on_fake_gpus()->plan(p, &seconds)->slab[1];
    for (const std::int64_t room : {slab, slab - 1, slab / 2, slab / 7}) {
        const auto state = state_on_fake_gpus();  // one that holds no slabs yet
        FakeGpus& gpus = FakeGpus::instance();
        gpus.limit = gpus.used[0] + static_cast<std::size_t>(room);
        Operands x(case_of(p, random), random);
        run_problem(*state, p, x.binding());
        EXPECT_TRUE(x.check()) << room;
        EXPECT_LE(state->plan(p, &seconds)->slab[1], room);
    }
}

TEST(RunProblem, a_lost_device_fails_one_call_and_the_next_ones_do_without_it) {
    Random random(3);
    const auto state = state_on_fake_gpus();
    const Problem p = square(96);
    double seconds = 0;
    ASSERT_EQ(state->plan(p, &seconds)->devices.size(), 2U);
    Operands broken(case_of(p, random), random);
    FakeGpus::instance().fail_after(FakeGpus::Call::copy, 0, FakeGpus::gone, 1);
    EXPECT_THROW(run_problem(*state, p, broken.binding()), Error);
    for (int i = 0; i < 2; ++i) {
        Operands x(case_of(p, random), random);
        run_problem(*state, p, x.binding());
        EXPECT_TRUE(x.check());
    }
    EXPECT_EQ(state->plan(p, &seconds)->devices, std::vector<DeviceId>{0});
}

TEST(RunProblem, with_all_devices_lost_auto_leaves_calls_to_the_host) {
    const auto state = state_on_fake_gpus("auto");
    if (!state->cpu) GTEST_SKIP() << "no host BLAS";
    const Problem p = square(4096);
    state->cpu->peak.fill(1e9);  // so slow that no call is left to it otherwise
    EXPECT_FALSE(state->prefers_host(p));
    Random random(4);
    const Problem small = square(96);
    for (const int gpu : {0, 1}) {
        Operands x(case_of(small, random), random);
        FakeGpus::instance().reset();
        FakeGpus::instance().fail_after(FakeGpus::Call::copy, 0, FakeGpus::gone, gpu);
        EXPECT_THROW(run_problem(*state, small, x.binding()), Error) << gpu;
        EXPECT_EQ(state->prefers_host(p), gpu == 1);
    }
}

TEST(RunProblem, no_room_at_all_is_an_error) {
    Random random(2);
    const auto state = state_on_fake_gpus();
    const Problem p = square(40);
    Operands x(case_of(p, random), random);
    const Binding binding = x.binding();
    FakeGpus::instance().limit = 8;
    try {
        run_problem(*state, p, binding);
        ADD_FAILURE() << "it ran";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), Code::out_of_memory) << error.what();
    }
    EXPECT_TRUE(x.c().unchanged());
    FakeGpus::instance().reset();
    run_problem(*state, p, binding);
    EXPECT_TRUE(x.check());
}

}  // namespace
}  // namespace gemmill::test
