// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/cpu.hpp"

#include <thread>

#include "backend/conformance.hpp"
#include "backend/cpu/probe.hpp"
#include "exec/run.hpp"
#include "kernel/reference/reference.hpp"
#include "support/few_threads.hpp"
#include "support/plan_case.hpp"
#include "task/describe.hpp"

namespace gemmill::test {
namespace {

std::unique_ptr<CpuBackend> make_cpu(int devices, int threads, Kernels kernels,
                                     Allocate allocate = allocate_host) {
    return std::make_unique<CpuBackend>(
        CpuSetup{cpu_machine(devices), kernels, threads, std::move(allocate)});
}

BackendMaker cpu_maker(int threads) {
    return {"threads" + std::to_string(threads),
            [=](int devices) { return make_cpu(devices, threads, reference_kernels()); },
            [=](int devices, Kernels kernels) { return make_cpu(devices, threads, kernels); },
            [=](int devices, Allocate allocate) {
                return make_cpu(devices, threads, reference_kernels(), std::move(allocate));
            }};
}

INSTANTIATE_TEST_SUITE_P(Cpu, Conformance,
                         ::testing::Values(cpu_maker(1), cpu_maker(2), cpu_maker(5)),
                         name_of_maker);

TEST(CpuBackend, bits_do_not_depend_on_the_number_of_threads) {
    Random random(1);
    const Plan plan = small_plan(cpu_machine(3), 40, 9);
    Operands x(case_of(problem_of(plan), random), random);
    std::vector<std::vector<std::byte>> results;
    for (const int threads : {1, 2, 7}) {
        x.reset();
        run(plan, *make_cpu(3, threads, reference_kernels()), x.binding());
        results.push_back(x.c().elements());
    }
    EXPECT_EQ(results[0], results[1]);
    EXPECT_EQ(results[0], results[2]);
}

TEST(CpuBackend, threads_take_turns) {
    const auto backend = make_cpu(2, 2, reference_kernels());
    const Plan plan = small_plan(backend->machine(), 16, 5);
    std::vector<std::thread> threads;
    std::atomic<int> right = 0;
    const int calls = affordable(40);
    for (std::uint64_t t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            Random random(t);
            for (int i = 0; i < calls; ++i) {
                Operands x(case_of(problem_of(plan), random), random);
                run(plan, *backend, x.binding());
                right += x.check() ? 1 : 0;
                backend->release(backend->allocate(1, 64));
            }
        });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(right, 4 * calls);
}

/// Devices without a thread of their own are served by those of others.
TEST(CpuBackend, runs_with_the_threads_that_there_are) {
    Random random(3);
    const Plan plan = small_plan(cpu_machine(3), 40, 9);
    Operands x(case_of(problem_of(plan), random), random);
    for (const int threads : {1, 2, 4}) {
        const FewThreads few(threads);
        x.reset();
        run(plan, *make_cpu(3, 2, reference_kernels()), x.binding());
        EXPECT_TRUE(x.check()) << threads;
    }
}

/// Slabs stay between runs: a second run of the same plan allocates nothing.
TEST(CpuBackend, memory_is_kept_for_the_next_run) {
    int calls = 0;
    const auto backend =
        make_cpu(2, 1, reference_kernels(), [&](const Memory& m, std::size_t bytes) {
            ++calls;
            return allocate_host(m, bytes);
        });
    const Plan plan = small_plan(backend->machine());
    Random random(2);
    Operands x(case_of(problem_of(plan), random), random);
    run(plan, *backend, x.binding());
    const int first = calls;
    EXPECT_GT(first, 0);
    x.reset();
    run(plan, *backend, x.binding());
    EXPECT_EQ(calls, first);
    EXPECT_TRUE(x.check());
}

}  // namespace
}  // namespace gemmill::test
