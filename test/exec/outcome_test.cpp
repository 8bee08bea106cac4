// SPDX-License-Identifier: Apache-2.0
#include "exec/outcome.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "backend/cpu/cpu.hpp"
#include "backend/sim/sim.hpp"
#include "gemmill/error.hpp"
#include "plan/access.hpp"
#include "support/failing.hpp"
#include "support/plan_case.hpp"
#include "task/describe.hpp"

namespace gemmill::test {
namespace {

/// Sixteen tiles of C on two devices of one thread each.
struct Fixture {
    Fixture() {
        Options options;
        options.tile = 8;
        options.policy = "blasx";
        Problem p;
        p.m = p.n = p.k = 32;
        p.alpha = p.beta = Factor::general;
        plan = make_plan(p, two_gpus(), options);
    }
    /// With the kernel of this number broken.
    Outcome with_broken(int kernel, Operands& x) {
        CpuSetup setup;
        setup.machine = two_gpus(), setup.kernels = breakable_kernels();
        CpuBackend backend(setup);
        return with_broken(kernel, x, backend);
    }
    Outcome with_broken(int kernel, Operands& x, Backend& backend) const {
        kernel_calls_left = kernel;
        Outcome outcome = carry_out(plan, backend, x.binding());
        kernel_calls_left = never;
        return outcome;
    }
    Plan plan;
};

TEST(Outcome, of_a_run_without_faults_is_complete) {
    Fixture f;
    Random random(1);
    Operands x(case_of(problem_of(f.plan), random), random);
    const Outcome outcome = f.with_broken(never, x);
    EXPECT_TRUE(outcome.complete());
    EXPECT_EQ(written_tiles(f.plan, outcome).size(), 16U);
    require_complete(f.plan, outcome);
    EXPECT_TRUE(x.check());
}

/// All steps that are not behind the failed one, in a queue or by waits, and no others.
void check_ended(const Plan& plan, const Outcome& outcome) {
    ASSERT_EQ(outcome.failures.size(), 1U);
    EXPECT_FALSE(outcome.complete());
    std::vector<bool> open(plan.queues.size(), true);
    for (std::size_t i = 0; i < plan.steps.size(); ++i) {
        const Step& step = plan.steps[i];
        const auto queue = static_cast<std::size_t>(step.queue);
        const bool failed = outcome.failures[0].step == static_cast<StepId>(i);
        const bool could = std::ranges::all_of(waits_of(plan, step), [&](StepId wait) {
            return outcome.ended[static_cast<std::size_t>(wait)];
        });
        EXPECT_EQ(outcome.ended[i], open[queue] && could && !failed) << "step " << i;
        open[queue] = open[queue] && outcome.ended[i];
    }
    EXPECT_LT(written_tiles(plan, outcome).size(), 16U);
}

TEST(Outcome, what_does_not_need_the_failed_step_is_done) {
    Fixture f;
    Random random(2);
    for (int kernel = 0; kernel < 40; kernel += 3) {
        Operands x(case_of(problem_of(f.plan), random), random);
        check_ended(f.plan, f.with_broken(kernel, x));
    }
}

TEST(Outcome, so_it_is_on_the_simulated_clock) {
    Fixture f;
    Random random(4);
    for (int kernel = 0; kernel < 40; kernel += 3) {
        Operands x(case_of(problem_of(f.plan), random), random);
        SimBackend backend(two_gpus(), breakable_kernels(), allocate_host);
        check_ended(f.plan, f.with_broken(kernel, x, backend));
    }
}

TEST(Outcome, the_error_names_the_step_and_what_is_written) {
    Fixture f;
    Random random(3);
    Operands x(case_of(problem_of(f.plan), random), random);
    const Outcome outcome = f.with_broken(60, x);
    try {
        require_complete(f.plan, outcome);
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), Code::failed_step);
        EXPECT_NE(error.text().find("the kernel broke"), std::string::npos) << error.text();
        EXPECT_NE(error.text().find("of 16 tiles of C are written"), std::string::npos)
            << error.text();
    }
}

}  // namespace
}  // namespace gemmill::test
