// SPDX-License-Identifier: Apache-2.0
#include "backend/joined/joined.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <stdexcept>

#include "backend/conformance.hpp"
#include "backend/gpu/devices.hpp"
#include "exec/outcome.hpp"
#include "exec/run.hpp"
#include "kernel/reference/reference.hpp"
#include "support/fake_gpu.hpp"
#include "support/level3_case.hpp"
#include "support/plan_case.hpp"
#include "task/describe.hpp"

namespace gemmill::test {
namespace {

Machine gpus_of(int devices) {
    return synthetic_machine(fmt::format(
        "gpu:{}(mem=1GB,d=1T,s=1T,c=1T,z=1T,h=1T,b=1T) nvlink:100GB/s pcie:10GB/s", devices));
}

/// A third as fast as one of the GPUs.
Device slower_cpu() {
    Device cpu;
    cpu.name = "cpu";
    cpu.launch = 1e-6;
    cpu.bandwidth = 50e9;
    cpu.peak.fill(0.3e12);
    return cpu;
}

JoinedSetup setup_of(int gpus, Kernels kernels = reference_kernels()) {
    JoinedSetup setup;
    setup.gpus.driver = &fake_gpu_driver();
    setup.gpus.machine = gpus_of(gpus);
    for (const Memory& memory : setup.gpus.machine.memories)
        setup.gpus.ordinals.push_back(memory.kind == MemoryKind::host
                                          ? -1
                                          : static_cast<int>(setup.gpus.ordinals.size()) % 2);
    setup.gpus.staging = {2, 3, 256};
    setup.cpu = slower_cpu();
    setup.kernels.kernels = kernels;
    return setup;
}

std::unique_ptr<JoinedBackend> make_joined(int gpus) {
    FakeGpus::instance().reset();
    return std::make_unique<JoinedBackend>(setup_of(gpus));
}

BackendMaker joined_maker() {
    return {"joined", [](int gpus) { return make_joined(gpus); }, {}, {}};
}
INSTANTIATE_TEST_SUITE_P(Joined, Conformance, ::testing::Values(joined_maker()), name_of_maker);

Problem product(index_t n) {
    Problem p;
    p.m = p.n = p.k = n;
    p.alpha = p.beta = Factor::general;
    return p;
}

/// Tiles in turn over all devices, the CPU among them.
Plan dealt_plan(const Machine& machine, const Problem& p) {
    Options options;
    options.policy = "blasx";
    options.tile = 4;
    return make_plan(p, machine, options);
}

std::int64_t count_on(const Plan& plan, DeviceId device) {
    return std::ranges::count_if(plan.steps, [&](const Step& step) {
        const Queue& queue = plan.queues[static_cast<std::size_t>(step.queue)];
        return queue.kind == QueueKind::compute && queue.index == device;
    });
}

TEST(Joined, the_cpu_is_the_last_device_and_computes_in_host_memory) {
    const auto backend = make_joined(2);
    const Machine& machine = backend->machine();
    ASSERT_EQ(machine.devices.size(), 3U);
    EXPECT_EQ(machine.devices.back().name, "cpu");
    EXPECT_EQ(machine.devices.back().memory, find_memory(machine, "host"));
    EXPECT_TRUE(check(machine).empty());
    EXPECT_EQ(backend->gpus().machine().devices.size(), 2U);
}

TEST(Joined, a_machine_without_host_memory_is_refused) {
    Machine machine = gpus_of(1);
    machine.memories.front().name = "elsewhere";
    machine.memories.front().kind = MemoryKind::device;
    EXPECT_THROW(with_cpu(machine, slower_cpu()), Error);
}

TEST(Joined, gpus_and_cpu_share_a_product_and_no_factor_is_copied_for_the_cpu) {
    Random random(1);
    const auto backend = make_joined(2);
    const Plan plan = dealt_plan(backend->machine(), product(20));
    ASSERT_GT(count_on(plan, 0), 0);
    ASSERT_GT(count_on(plan, 2), 0);
    for (const Step& step : plan.steps)
        EXPECT_TRUE(step.op != Opcode::fetch || is_target(plan, tile_of(plan, step.out)) ||
                    memory_of(plan, step.out) != 0);
    Operands x(case_of(problem_of(plan), random), random);
    x.allow_roundings(roundings(plan));
    run(plan, *backend, x.binding());
    EXPECT_TRUE(x.check());
    x.reset();
    run_untimed(plan, *backend, x.binding());
    x.fetch();
    EXPECT_TRUE(x.check());
}

/// Rows of a solve depend on one another wherever they are made.
TEST(Joined, halves_wait_for_each_other) {
    Random random(2);
    const auto backend = make_joined(1);
    Problem p;
    p.routine = Routine::trsm;
    p.m = p.k = 24, p.n = 8;
    p.alpha = Factor::general;
    const Plan plan = dealt_plan(backend->machine(), p);
    ASSERT_GT(count_on(plan, 0), 0);
    ASSERT_GT(count_on(plan, 1), 0);
    for (int i = 0; i < 20; ++i) {
        Level3Operands x(p, random);
        if (i % 2 == 0)
            run(plan, *backend, x.binding());
        else
            run_untimed(plan, *backend, x.binding());
        ASSERT_TRUE(x.check());
    }
}

void failing_gemm(const GemmArgs&) { throw std::runtime_error("the CPU is broken"); }

TEST(Joined, a_step_that_fails_on_the_cpu_is_named_and_gpus_go_on) {
    Random random(3);
    FakeGpus::instance().reset();
    Kernels kernels = reference_kernels();
    kernels.gemm = failing_gemm;
    JoinedBackend backend(setup_of(1, kernels));
    const Plan plan = dealt_plan(backend.machine(), product(20));
    Operands x(case_of(problem_of(plan), random), random);
    for (const bool timed : {true, false}) {
        Binding binding = x.binding();
        binding.timed = timed;
        const Outcome outcome = carry_out(plan, backend, binding);
        ASSERT_FALSE(outcome.failures.empty());
        EXPECT_THAT(describe_failure(plan, outcome.failures.front()),
                    ::testing::HasSubstr("the CPU is broken"));
        EXPECT_FALSE(written_tiles(plan, outcome).empty()) << timed;
    }
    EXPECT_THROW(run_untimed(plan, backend, x.binding()), Error);
    EXPECT_FALSE(backend.lost(0));
    EXPECT_FALSE(backend.lost(1));
}

TEST(Joined, kernels_of_the_cpu_run_as_it_is_told) {
    Random random(8);
    FakeGpus::instance().reset();
    JoinedSetup setup = setup_of(1);
    std::atomic<int> told = 0;
    setup.kernels.run = [&](const std::function<void()>& work) { ++told, work(); };
    JoinedBackend backend(std::move(setup));
    const Plan plan = dealt_plan(backend.machine(), product(20));
    Operands x(case_of(problem_of(plan), random), random);
    run_untimed(plan, backend, x.binding());
    EXPECT_TRUE(x.check());
    const auto on_cpu = [&](const Step& step) {
        const Queue& queue = plan.queues[static_cast<std::size_t>(step.queue)];
        return queue.kind == QueueKind::compute && queue.index == 1;
    };
    const auto steps = std::ranges::count_if(plan.steps, on_cpu);
    EXPECT_GT(steps, 0);
    EXPECT_GE(told.load(), steps);
}

TEST(Joined, a_copy_that_fails_on_a_gpu_leaves_the_cpu_to_its_own) {
    Random random(4);
    const auto backend = make_joined(1);
    const Plan plan = dealt_plan(backend->machine(), product(20));
    Operands x(case_of(problem_of(plan), random), random);
    FakeGpus::instance().fail_after(FakeGpus::Call::gemm, 3);
    const Outcome outcome = carry_out(plan, *backend, x.binding());
    EXPECT_FALSE(outcome.failures.empty());
    EXPECT_FALSE(outcome.complete());
    EXPECT_FALSE(written_tiles(plan, outcome).empty());
}

TEST(Joined, a_session_may_end_before_its_steps_do) {
    Random random(5);
    const auto backend = make_joined(1);
    const Plan plan = dealt_plan(backend->machine(), product(24));
    for (int i = 0; i < 20; ++i) {
        Operands x(case_of(problem_of(plan), random), random);
        const auto session = backend->open(plan, x.binding());
        for (StepId id = 0; id < std::ssize(plan.steps); ++id) session->submit(id);
        for (int taken = 0; taken < i; ++taken) session->next();
    }
}

/// Pageable memory is the host's too: the CPU computes there, whatever GPUs must pack.
TEST(Joined, the_cpu_computes_in_pageable_memory) {
    Random random(6);
    FakeGpus::instance().reset();
    JoinedSetup setup = setup_of(1);
    setup.gpus.machine = with_pageable(setup.gpus.machine, 2);
    setup.gpus.ordinals.push_back(-1);
    JoinedBackend backend(std::move(setup));
    const MemoryId pageable = find_memory(backend.machine(), pageable_name);
    Problem p = product(9);
    p.home = {pageable, pageable, pageable};
    Plan plan;
    plan.machine = backend.machine();
    describe(p, plan);
    plan.devices = {1};
    plan.slab.assign(plan.machine.memories.size(), 0);
    plan.limit.assign(plan.machine.memories.size(), 0);
    plan.tiles = {{0, 0, 0, 9, 9}, {1, 0, 0, 9, 9}, {2, 0, 0, 9, 9}};
    plan.queues = {{QueueKind::compute, 1}};
    Step step;
    step.op = Opcode::gemm;
    step.weight = Scale::alpha, step.keep = Scale::beta;
    step.queue = 0;
    step.out = {2, Ref::home};
    step.in = {Ref{0, Ref::home}, Ref{1, Ref::home}};
    plan.steps = {step};
    ASSERT_TRUE(validate(plan).empty()) << validate(plan).front();
    Operands x(case_of(p, random), random);
    EXPECT_EQ(backend.locate(x.c().data()), pageable);
    run_untimed(plan, backend, x.binding());
    x.fetch();
    EXPECT_TRUE(x.check());
}

}  // namespace
}  // namespace gemmill::test
