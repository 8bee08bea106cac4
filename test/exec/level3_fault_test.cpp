// SPDX-License-Identifier: Apache-2.0
// Every step of small plans of every routine fails once: the call ends with an error, each tile of
// C is old or right (of trmm and trsm too, though what is right can then not be made again from C
// alone), and the backend still works.
#include <gtest/gtest.h>

#include "backend/cpu/cpu.hpp"
#include "backend/cpu/probe.hpp"
#include "backend/sim/sim.hpp"
#include "exec/run.hpp"
#include "support/failing.hpp"
#include "support/level3_case.hpp"
#include "support/mirrored_plan.hpp"
#include "support/plan_case.hpp"
#include "task/describe.hpp"

namespace gemmill::test {
namespace {

struct Maker {
    const char* name;
    std::unique_ptr<Backend> (*make)();
};
void PrintTo(const Maker& maker, std::ostream* out) { *out << maker.name; }

const Maker makers[] = {
    {"cpu2",
     [] {
         return std::unique_ptr<Backend>(std::make_unique<CpuBackend>(
             CpuSetup{cpu_machine(2), breakable_kernels(), 2, allocate_host}));
     }},
    {"sim3",
     [] {
         return std::unique_ptr<Backend>(
             std::make_unique<SimBackend>(cpu_machine(3), breakable_kernels(), allocate_host));
     }},
};

class Level3Faults : public ::testing::TestWithParam<Maker> {
  protected:
    /// Written back, made where C lives, with little memory, and with A filled up.
    static std::vector<Plan> plans(const Machine& machine, Routine routine) {
        std::vector<Plan> all;
        Problem p;
        p.routine = routine;
        p.type = Type::z;
        p.m = p.n = p.k = 8;
        p.alpha = p.beta = Factor::general;
        Options options;
        options.tile = 4;
        all.push_back(make_plan(p, machine, options));
        options.device_memory = 256 * 6;
        all.push_back(make_plan(p, machine, options));
        options.device_memory = 0;
        p.home = {1, 1, 1};
        all.push_back(make_plan(p, machine, options));
        options.tile = 8;
        all.push_back(make_plan(p, machine, options));
        p.home = {0, 0, 0};
        if (mirrors(routine)) all.push_back(mirrored_plan(p, machine));
        return all;
    }

    static void expect_failure(const Plan& plan, Backend& backend, Random& random) {
        Level3Operands x(problem_of(plan), random);
        EXPECT_THROW(run(plan, backend, x.binding()), Error);
        for (const Step& step : plan.steps)
            if (step.out.buffer == Ref::home) {
                const Tile& tile = plan.tiles[static_cast<std::size_t>(step.out.tile)];
                EXPECT_TRUE(x.old(tile) || x.right(tile))
                    << name_of(plan, tile) << " is neither; " << describe(problem_of(plan));
            }
        EXPECT_TRUE(x.check_surroundings());
    }

    static void expect_success(const Plan& plan, Backend& backend, Random& random) {
        Level3Operands x(problem_of(plan), random);
        ASSERT_NO_THROW(run(plan, backend, x.binding())) << describe(problem_of(plan));
        ASSERT_TRUE(x.check());
    }
};

TEST_P(Level3Faults, every_step_fails_once) {
    Random random(1);
    const auto inner = GetParam().make();
    FailingBackend backend(*inner);
    for (const Routine routine : level3_routines)
        for (const Plan& plan : plans(backend.machine(), routine))
            for (StepId id = 0; id < std::ssize(plan.steps); ++id) {
                SCOPED_TRACE(fmt::format("step {} of {}", id, describe(problem_of(plan))));
                backend.at_once = random.chance(50);
                backend.fails = id;
                expect_failure(plan, backend, random);
                backend.fails = -1;
                expect_success(plan, backend, random);
                if (HasFailure()) return;
            }
}

TEST_P(Level3Faults, every_kernel_throws_once) {
    Random random(2);
    const auto backend = GetParam().make();
    for (const Routine routine : level3_routines)
        for (const Plan& plan : plans(backend->machine(), routine)) {
            const auto kernels =
                std::ranges::count_if(plan.steps, [](const Step& s) { return !moves(s); });
            for (int call = 0; call < kernels; ++call) {
                SCOPED_TRACE(fmt::format("kernel {} of {}", call, describe(problem_of(plan))));
                kernel_calls_left = call;
                expect_failure(plan, *backend, random);
                kernel_calls_left = never;
                expect_success(plan, *backend, random);
                if (HasFailure()) return;
            }
        }
}

INSTANTIATE_TEST_SUITE_P(, Level3Faults, ::testing::ValuesIn(makers),
                         [](const auto& maker) { return std::string(maker.param.name); });

}  // namespace
}  // namespace gemmill::test
