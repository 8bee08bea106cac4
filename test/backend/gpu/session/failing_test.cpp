// SPDX-License-Identifier: Apache-2.0
// What becomes of a run when a call to the driver fails.
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

/// Whatever call fails, and whenever: an error that names the step, tiles of C old or right, and
/// the next run is right.
TEST(GpuBackend, a_call_that_fails_is_an_error_and_loses_nothing) {
    Random random(3);
    const auto backend = make_fake(2);
    const Plan plan = plan_for(*backend, 24, 8);
    for (const Call call : {Call::copy, Call::gemm, Call::record})
        for (int after = 0; after < 40; after += 3) {
            Operands x(case_of(problem_of(plan), random), random);
            const Binding binding = x.binding();
            FakeGpus::instance().fail_after(call, after);
            bool failed = false;
            try {
                run_untimed(plan, *backend, binding);
            } catch (const Error& error) {
                failed = true;
                EXPECT_EQ(error.code(), Code::failed_step) << error.what();
                EXPECT_NE(error.text().find("the call failed"), std::string::npos) << error.what();
            }
            FakeGpus::instance().reset();
            for (index_t j = 0; failed && j < problem_of(plan).n; ++j)
                for (index_t i = 0; i < problem_of(plan).m; ++i)
                    ASSERT_TRUE(x.right(i, j) || x.c().same_element(i, j))
                        << static_cast<int>(call) << " " << after;
            if (!failed) {
                ASSERT_TRUE(x.check());
            }
            Operands y(case_of(problem_of(plan), random), random);
            run_untimed(plan, *backend, y.binding());
            ASSERT_TRUE(y.check()) << "the run after";
        }
}

TEST(GpuBackend, a_lost_device_is_an_error_at_once_and_ever_after) {
    Random random(4);
    const auto backend = make_fake(2);
    const Plan plan = plan_for(*backend, 24, 8);
    Operands x(case_of(problem_of(plan), random), random);
    const Binding binding = x.binding();
    FakeGpus::instance().fail_after(Call::gemm, 2, FakeGpus::gone);
    const auto code = [&] {
        try {
            run_untimed(plan, *backend, binding);
        } catch (const Error& error) {
            return error.code();
        }
        return Code::ok;
    };
    EXPECT_EQ(code(), Code::no_device);
    FakeGpus::instance().lost = false;
    EXPECT_EQ(code(), Code::no_device);
}

TEST(GpuBackend, too_little_memory_is_an_error_before_anything_is_done) {
    Random random(5);
    const auto backend = make_fake(2);
    const Plan plan = plan_for(*backend, 40);
    Operands x(case_of(problem_of(plan), random), random);
    const Binding binding = x.binding();
    FakeGpus::instance().limit = 100;
    EXPECT_THROW(run_untimed(plan, *backend, binding), Error);
    EXPECT_TRUE(x.c().unchanged());
    EXPECT_EQ(FakeGpus::instance().bytes_used(), 0U);
    EXPECT_LE(backend->room(1), 100);
    FakeGpus::instance().reset();
    run_untimed(plan, *backend, binding);
    EXPECT_TRUE(x.check());
}

TEST(GpuBackend, slots_that_cannot_be_pinned_are_an_error) {
    Random random(6);
    const auto backend = make_fake(1);
    const Plan plan = plan_for(*backend, 20);
    Operands x(case_of(problem_of(plan), random), random);
    const Binding binding = x.binding();
    FakeGpus::instance().fail_after(Call::pin, 0, FakeGpus::no_memory);
    EXPECT_THROW(run_untimed(plan, *backend, binding), Error);
    EXPECT_TRUE(x.c().unchanged());
    FakeGpus::instance().reset();
    run_untimed(plan, *backend, binding);
    EXPECT_TRUE(x.check());
}

}  // namespace
}  // namespace gemmill::test
