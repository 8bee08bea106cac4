// SPDX-License-Identifier: Apache-2.0
// How steps come into streams: through slots or not, after what they see, and in turn.
#include <gtest/gtest.h>

#include <algorithm>

#include "backend/gpu/fake_backend.hpp"
#include "exec/run.hpp"
#include "support/level3_case.hpp"
#include "support/plan_case.hpp"
#include "task/describe.hpp"

namespace gemmill::test {
namespace {

using Call = FakeGpus::Call;

TEST(GpuBackend, pageable_memory_goes_through_slots_and_pinned_memory_does_not) {
    Random random(1);
    const auto backend = make_fake(2);
    const Plan plan = plan_for(*backend, 50, 16);
    Operands x(case_of(problem_of(plan), random), random);
    run_untimed(plan, *backend, x.binding());
    EXPECT_TRUE(x.check());
    EXPECT_EQ(FakeGpus::instance().copies_by_host, 0);
}

/// In core a call is short: an event that nobody asks for would show.
TEST(GpuBackend, a_run_without_times_records_one_event_a_step) {
    const auto backend = make_fake(1);
    Problem p = square(8);
    p.beta = Factor::zero;
    p.home = {1, 1, 1};
    const Plan plan = make_plan(p, backend->machine(), {});
    ASSERT_EQ(plan.steps.size(), 1u);
    auto* const data = static_cast<double*>(backend->allocate(1, 3 * 64 * sizeof(double)));
    std::fill_n(data, 3 * 64, 1.0);
    const Binding binding{{data, data + 64, data + 128}, {8, 8, 8}, {1, 0}, {0, 0}};
    FakeGpus::instance().fail_after(Call::record, 1);
    run_untimed(plan, *backend, binding);
    EXPECT_EQ(data[128], 8);
    FakeGpus::instance().fail_after(Call::record, 1);
    EXPECT_THROW(run(plan, *backend, binding), Error) << "the clock is started, too";
    backend->release(data);
}

TEST(GpuBackend, short_columns_of_pinned_memory_go_through_slots_where_that_is_asked_for) {
    Random random(4);
    for (const auto& [shares, short_run] :
         {std::pair{1, 0}, {1, 16 * 8}, {1, 17 * 8}, {3, 0}, {3, 17 * 8}}) {
        FakeGpus::instance().reset();
        GpuSetup setup = fake_setup(shares, {2, 3, 256, short_run});
        for (int& ordinal : setup.ordinals) ordinal = std::min(ordinal, 0);  // all of one GPU
        GpuBackend backend(std::move(setup));
        const Plan plan = plan_for(backend, 48, 16);
        Operands x(case_of(problem_of(plan), random), random);
        Binding pinned = x.binding();
        for (std::size_t o = 0; o < 3; ++o) {
            const auto bytes = static_cast<std::size_t>(pinned.ld[o] * 47 + 48) * 8;
            ASSERT_EQ(fake_gpu_driver().pin(const_cast<void*>(pinned.data[o]), bytes), 0);
        }
        run_untimed(plan, backend, pinned);
        for (const void* data : pinned.data) fake_gpu_driver().unpin(const_cast<void*>(data));
        EXPECT_TRUE(x.check());
        EXPECT_EQ(FakeGpus::instance().scattered == 0, short_run > 16 * 8)
            << shares << " devices, " << short_run;
    }
}

/// Packing runs ahead of everything else, but not ahead of what it must see: solved blocks that
/// were written to ordinary host memory and are read again.
TEST(GpuBackend, what_was_written_is_packed_after_it_is_there) {
    Random random(22);
    FakeGpus::instance().reset();
    GpuBackend backend(fake_setup(2, {4, 400, 1 << 16}));
    for (int i = 0; i < affordable(20) && !::testing::Test::HasFailure(); ++i) {
        Problem p = random_level3(random, Routine::trsm, 20);
        p.m = p.n = p.k = 2 * random.between(30, 70) + 1;
        p.alpha = Factor::general;
        p.home = {0, 0, 0};
        Options options;
        options.tile = 16;
        options.device_memory = bytes_of(p.type) * 16 * 16 * 5;
        const Plan plan = make_plan(p, backend.machine(), options);
        Level3Operands x(p, random);
        run(plan, backend, x.binding());
        ASSERT_TRUE(x.check());
    }
}

TEST(GpuBackend, many_threads_and_few_slots) {
    Random random(2);
    for (StagingSetup staging :
         {StagingSetup{1, 1, 64}, StagingSetup{4, 2, 512}, StagingSetup{3, 9, 1 << 20}}) {
        staging.own_caches = 20000;  // some of what is packed is streamed
        GpuBackend backend(fake_setup(3, staging));
        const Plan plan = plan_for(backend, 60, 20);
        for (int i = 0; i < affordable(10); ++i) {
            Operands x(case_of(problem_of(plan), random), random);
            run_untimed(plan, backend, x.binding());
            ASSERT_TRUE(x.check());
        }
    }
}

}  // namespace
}  // namespace gemmill::test
