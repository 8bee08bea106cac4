// SPDX-License-Identifier: Apache-2.0
// The gpu backend on GPUs that are the host, and on real ones where there are some.
#include "backend/gpu/gpu.hpp"

#include <thread>

#include "backend/conformance.hpp"
#include "backend/cpu/probe.hpp"
#include "backend/gpu/devices.hpp"
#include "backend/gpu/fake_backend.hpp"
#include "backend/plugin.hpp"
#include "exec/run.hpp"
#include "support/level3_case.hpp"
#include "support/plan_case.hpp"
#include "task/describe.hpp"

namespace gemmill::test {
namespace {

using Call = FakeGpus::Call;

BackendMaker fake_maker() {
    return {"fake", [](int devices) { return make_fake(devices); }, {}, {}};
}
INSTANTIATE_TEST_SUITE_P(Gpu, Conformance, ::testing::Values(fake_maker()), name_of_maker);

TEST(GpuBackend, blocks_are_copied_by_several_threads_at_once) {
    const auto backend = make_fake(1);
    constexpr index_t rows = 5, cols = 7, ld = 9;
    std::vector<std::vector<char>> there(4, std::vector<char>(ld * cols, 'x'));
    std::vector<std::jthread> threads;
    for (std::vector<char>& to : there)
        threads.emplace_back([&] {
            const std::vector<char> from(rows * cols, static_cast<char>('a' + (&to - &there[0])));
            const CopyArgs upper{from.data(), rows, to.data(), ld, 3, cols, 1};
            CopyArgs lower = upper;
            lower.from = from.data() + 3, lower.to = to.data() + 3, lower.rows = 2;
            backend->copy(0, upper);
            backend->upload(0, std::array{lower});
        });
    threads.clear();
    for (const std::vector<char>& to : there)
        for (index_t j = 0; j < cols; ++j)
            for (index_t i = 0; i < ld; ++i)
                EXPECT_EQ(to[static_cast<std::size_t>(i + j * ld)],
                          i < rows ? static_cast<char>('a' + (&to - &there[0])) : 'x');
    FakeGpus::instance().calls_left[Call::copy] = 0;
    const CopyArgs one{"a", 1, there[0].data(), 1, 1, 1, 1};
    EXPECT_THROW(backend->copy(0, one), Error);
    FakeGpus::instance().calls_left[Call::copy] = 0;
    EXPECT_THROW(backend->upload(0, std::array{one}), Error);
    EXPECT_NO_THROW(backend->upload(0, std::array{one}));
}

TEST(GpuBackend, memory_is_shared_with_whoever_has_the_same_gpu) {
    const auto backend = make_fake(2);
    GpuSharedBlock name;
    const auto mine = backend->allocate_shared(0, 100, name);
    {
        const auto theirs = backend->open_shared(0, name);
        EXPECT_EQ(theirs.get(), mine.get());
        EXPECT_EQ(FakeGpus::instance().opened, 1);
    }
    EXPECT_EQ(FakeGpus::instance().opened, 0);
    EXPECT_THROW(backend->open_shared(1, name), Error);
}

/// Shares of the first GPU.
std::unique_ptr<Backend> make_cuda(int devices) {
    std::string why;
    const GpuDriver* driver = gpu_driver(why);
    if (driver == nullptr) return nullptr;
    SharedMachine shared = share_gpus(with_gpus(probe_host(), why), {{0, devices}});
    GpuSetup setup;
    setup.driver = driver;
    setup.machine = std::move(shared.machine);
    setup.ordinals = std::move(shared.ordinals);
    setup.staging = {2, 6, 4096};
    return std::make_unique<GpuBackend>(std::move(setup));
}
BackendMaker cuda_maker() {
    return {"cuda", [](int devices) { return make_cuda(devices); }, {}, {}};
}
INSTANTIATE_TEST_SUITE_P(Cuda, Conformance, ::testing::Values(cuda_maker()), name_of_maker);

TEST(GpuBackend, threads_take_turns) {
    const auto backend = make_fake(2);
    const Plan plan = plan_for(*backend, 16, 5);
    std::atomic<int> right = 0;
    std::vector<std::thread> threads;
    const int calls = affordable(20);
    for (std::uint64_t t = 0; t < 3; ++t)
        threads.emplace_back([&, t] {
            Random random(t);
            for (int i = 0; i < calls; ++i) {
                Operands x(case_of(problem_of(plan), random), random);
                run_untimed(plan, *backend, x.binding());
                right += x.check() ? 1 : 0;
            }
        });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(right, 3 * calls);
}

TEST(GpuBackend, matrices_that_are_used_again_are_pinned) {
    Random random(7);
    FakeGpus::instance().reset();
    const auto pinned = [](const Operands& x, const Guarded& matrix) {
        GpuPlace place{};
        int device = 0;
        fake_gpu_driver().locate(matrix.data(), &place, &device);
        return x.check() && place == GpuPlace::pinned;
    };
    GpuSetup setup = fake_setup(2);
    setup.pin = 3 * 50 * 52 * 8;  // three matrices, of which gaps are a part
    GpuBackend backend(std::move(setup));
    const Plan plan = plan_for(backend, 50, 16);
    Operands x(case_of(problem_of(plan), random), random),
        y(case_of(problem_of(plan), random), random);
    run_untimed(plan, backend, x.binding());
    EXPECT_FALSE(pinned(x, x.c()));
    x.reset();
    run_untimed(plan, backend, x.binding());
    EXPECT_TRUE(pinned(x, x.c()));
    for (int i = 0; i < 2; ++i) {
        y.reset();
        run_untimed(plan, backend, y.binding());
    }
    EXPECT_TRUE(pinned(y, y.c()));
    EXPECT_FALSE(pinned(x, x.c())) << "it was used longest ago, and there is no room for both";
}

/// A device error stays with the process, so this test runs alone (scripts/gpu-check).
TEST(CudaFault, DISABLED_an_illegal_access_is_an_error_and_the_process_lives_on) {
    const auto backend = make_cuda(1);
    if (backend == nullptr) GTEST_SKIP() << "no GPU";
    Problem p = square(64);
    p.home = {1, 1, 1};
    const Plan plan = make_plan(p, backend->machine(), {});
    void* const wild = reinterpret_cast<void*>(0x7f0000000000);
    const Binding binding{{wild, wild, wild}, {64, 64, 64}, {1.5, 0}, {1.5, 0}};
    for (int i = 0; i < 2; ++i) {
        try {
            run_untimed(plan, *backend, binding);
            ADD_FAILURE() << "it ran";
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), Code::no_device) << error.what();
        }
    }
}

TEST(Gpus, are_named_in_text) {
    EXPECT_EQ(parse_gpus("cuda", 3), (std::vector<GpuShare>{{0, 1}, {1, 1}, {2, 1}}));
    EXPECT_EQ(parse_gpus("cuda:2,0", 3), (std::vector<GpuShare>{{2, 1}, {0, 1}}));
    EXPECT_EQ(parse_gpus("cuda:0x4", 1), (std::vector<GpuShare>{{0, 4}}));
    for (const char* text : {"cuda:", "cuda:1", "cuda:-1", "cuda:0x0", "cuda:0x65", "cuda:x",
                             "cuda:0x", "cuda:0,0", "cuda:0x2,0", "cuda:a"})
        EXPECT_THROW(parse_gpus(text, 1), Error) << text;
}

TEST(Gpus, a_machine_without_them_is_an_error) {
    const Machine node = load_machine("h200");
    EXPECT_THROW(share_gpus(node, {{1, 1}}), Error);
    Machine idle = node;
    idle.devices.clear();
    EXPECT_THROW(share_gpus(idle, {{0, 1}}), Error);
    Machine nowhere = node;
    nowhere.memories[static_cast<std::size_t>(find_memory(node, "host"))].name = "elsewhere";
    nowhere.memories[static_cast<std::size_t>(find_memory(node, "host"))].kind = MemoryKind::device;
    EXPECT_THROW(share_gpus(nowhere, {{0, 1}}), Error);
}

TEST(Gpus, shares_have_what_the_gpu_has) {
    const Machine node = load_machine("h200");
    const SharedMachine shared = share_gpus(node, {{0, 4}});
    EXPECT_TRUE(check(shared.machine).empty());
    EXPECT_EQ(shared.machine.devices.size(), 4U);
    EXPECT_EQ(shared.ordinals, (std::vector<int>{-1, 0, 0, 0, 0}));
    double rate = 0;
    for (const Device& device : shared.machine.devices) rate += device.peak[1];
    EXPECT_NEAR(rate, node.devices[0].peak[1], 1);
    // Whoever uses them, the links together carry what the GPU's one link does.
    EXPECT_EQ(bound_seconds(shared.machine, square(8192), std::vector<DeviceId>{0, 1, 2, 3}),
              bound_seconds(node, square(8192), std::vector<DeviceId>{0}));
    EXPECT_EQ(share_gpus(node, {{0, 1}}).machine, node);
}

TEST(Gpus, pageable_memory_is_a_memory_of_its_own) {
    const Machine node = with_pageable(load_machine("h200"), 4);
    EXPECT_TRUE(check(node).empty());
    EXPECT_EQ(parse_machine(to_text(node)), node);
    EXPECT_EQ(with_pageable(node, 8), node);
    const SharedMachine shared = share_gpus(node, {{0, 2}});
    EXPECT_TRUE(check(shared.machine).empty());
    EXPECT_EQ(shared.ordinals, (std::vector<int>{-1, 0, 0, -1}));
    EXPECT_EQ(find_memory(shared.machine, pageable_name), 3);
    EXPECT_EQ(find_memory(shared.machine, "h"), 0);
    Problem pinned = square(4096), pageable = pinned, mixed = pinned;
    pageable.home = {3, 3, 3};
    mixed.home = {0, 0, 3};
    const auto seconds = [&](const Problem& p) {
        const Plan plan = make_plan(p, shared.machine, {});
        EXPECT_TRUE(validate(plan).empty());
        return plan.prediction.seconds;
    };
    EXPECT_LT(seconds(pinned), seconds(mixed));
    EXPECT_LT(seconds(mixed), seconds(pageable));
}

TEST(Gpus, pageable_pointers_are_found_there) {
    FakeGpus::instance().reset();
    GpuSetup setup = fake_setup(1);
    setup.machine = with_pageable(setup.machine, 2);
    setup.ordinals.push_back(-1);
    GpuBackend backend(std::move(setup));
    const MemoryId pageable = find_memory(backend.machine(), pageable_name);
    std::vector<double> plain(10);
    EXPECT_EQ(backend.locate(plain.data()), pageable);
    ASSERT_EQ(fake_gpu_driver().pin(plain.data(), 80), 0);
    EXPECT_EQ(backend.locate(plain.data()), 0);
    fake_gpu_driver().unpin(plain.data());

    Random random(5);
    Problem p = square(50);
    p.home = {pageable, pageable, pageable};
    Options options;
    options.tile = 16;
    const Plan plan = make_plan(p, backend.machine(), options);
    Operands x(case_of(p, random), random);
    run_untimed(plan, backend, x.binding());
    EXPECT_TRUE(x.check());
}

}  // namespace
}  // namespace gemmill::test
