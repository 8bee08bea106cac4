// SPDX-License-Identifier: Apache-2.0
// Every step of small plans fails once, every kernel call throws once, every allocation is refused
// once: the call ends with an error, each tile of C is old or right, the backend still works.
#include <gtest/gtest.h>

#include <algorithm>

#include "backend/cpu/cpu.hpp"
#include "backend/cpu/probe.hpp"
#include "backend/sim/sim.hpp"
#include "exec/run.hpp"
#include "support/failing.hpp"
#include "support/rich_plan.hpp"
#include "task/describe.hpp"

namespace gemmill::test {
namespace {

struct Host {
    const char* name;
    int devices;
    std::unique_ptr<Backend> (*make)(int devices, Allocate allocate);
};

void PrintTo(const Host& host, std::ostream* out) { *out << host.name; }

std::unique_ptr<Backend> make_cpu(int devices, Allocate allocate) {
    return std::make_unique<CpuBackend>(
        CpuSetup{cpu_machine(devices), breakable_kernels(), 2, std::move(allocate)});
}
std::unique_ptr<Backend> make_sim(int devices, Allocate allocate) {
    return std::make_unique<SimBackend>(cpu_machine(devices), breakable_kernels(),
                                        std::move(allocate));
}

const Host hosts[] = {{"cpu1", 1, make_cpu},
                      {"cpu2", 2, make_cpu},
                      {"cpu3", 3, make_cpu},
                      {"sim1", 1, make_sim},
                      {"sim3", 3, make_sim}};

class Faults : public ::testing::TestWithParam<Host> {
  protected:
    std::unique_ptr<Backend> make(Allocate allocate = allocate_host) const {
        return GetParam().make(GetParam().devices, std::move(allocate));
    }

    /// Plans whose result is written back, made in place, and shared by two devices.
    static std::vector<Plan> plans(const Machine& machine, Random& random) {
        std::vector<Plan> all{small_plan(machine, 8, 4)};
        Problem p = problem_of(all[0]);
        p.home = {1, 1, 1};
        Options options;
        options.tile = 5;
        all.push_back(make_plan(p, machine, options));
        p.beta = Factor::zero;
        all.push_back(make_plan(p, machine, {}));
        if (machine.devices.size() > 1) all.push_back(rich_plan(random, machine));
        return all;
    }

    static ::testing::AssertionResult tiles_old_or_right(const Plan& plan, const Operands& x) {
        for (const Tile& tile : plan.tiles)
            if (tile.operand == operand::C && !x.old(tile) && !x.right(tile))
                return ::testing::AssertionFailure() << name_of(plan, tile) << " is neither";
        return x.check_surroundings();
    }

    /// The run fails with this code, and leaves C and the backend sound.
    static void expect_failure(const Plan& plan, Backend& backend, Random& random, Code code) {
        Operands x(case_of(problem_of(plan), random), random);
        try {
            run(plan, backend, x.binding());
            ADD_FAILURE() << "the run did not fail";
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), code) << error.what();
            if (code == Code::failed_step) {
                EXPECT_NE(error.text().find("step "), std::string::npos) << error.what();
            }
        }
        EXPECT_TRUE(tiles_old_or_right(plan, x)) << to_string(plan);
    }

    static void expect_success(const Plan& plan, Backend& backend, Random& random) {
        Operands x(case_of(problem_of(plan), random), random);
        ASSERT_NO_THROW(run(plan, backend, x.binding())) << to_string(plan);
        ASSERT_TRUE(x.check()) << to_string(plan);
    }
};

TEST_P(Faults, every_step_fails_once) {
    Random random(1);
    const auto inner = make();
    FailingBackend backend(*inner);
    for (const Plan& plan : plans(backend.machine(), random))
        for (const bool at_once : {true, false})
            for (StepId id = 0; id < std::ssize(plan.steps); ++id) {
                SCOPED_TRACE(
                    fmt::format("step {} of {}, at once: {}", id, to_string(plan), at_once));
                backend.at_once = at_once;
                backend.fails = id;
                expect_failure(plan, backend, random, Code::failed_step);
                backend.fails = -1;
                expect_success(plan, backend, random);
                if (HasFailure()) return;
            }
}

TEST_P(Faults, every_kernel_throws_once) {
    Random random(2);
    const auto backend = make();
    for (const Plan& plan : plans(backend->machine(), random)) {
        const auto kernels =
            std::ranges::count_if(plan.steps, [](const Step& s) { return !moves(s); });
        for (int call = 0; call < kernels; ++call) {
            SCOPED_TRACE(fmt::format("kernel {} of {}", call, to_string(plan)));
            kernel_calls_left = call;
            expect_failure(plan, *backend, random, Code::failed_step);
            kernel_calls_left = never;
            expect_success(plan, *backend, random);
            if (HasFailure()) return;
        }
    }
}

TEST_P(Faults, every_allocation_is_refused_once) {
    Random random(3);
    CountedMemory memory;
    const auto backend = make(memory.allocate());
    const Plan plan = small_plan(backend->machine(), 8, 4);
    for (int call = 0; call < GetParam().devices; ++call) {
        memory.calls = 0;
        memory.fails = call;
        expect_failure(plan, *backend, random, Code::out_of_memory);
        EXPECT_EQ(memory.bytes_now, 0);
    }
    memory.fails = never;
    expect_success(plan, *backend, random);
}

/// A run that fails because of a larger plan leaves the memory of the smaller one usable.
TEST_P(Faults, growth_that_is_refused_keeps_what_was_there) {
    Random random(4);
    CountedMemory memory;
    const auto backend = make(memory.allocate());
    const Plan small = small_plan(backend->machine(), 8, 4);
    const Plan large = small_plan(backend->machine(), 24, 12);
    expect_success(small, *backend, random);
    memory.calls = 0;
    memory.fails = 0;
    expect_failure(large, *backend, random, Code::out_of_memory);
    memory.fails = never;
    expect_success(small, *backend, random);
    expect_success(large, *backend, random);
    expect_success(small, *backend, random);
}

INSTANTIATE_TEST_SUITE_P(, Faults, ::testing::ValuesIn(hosts),
                         [](const auto& host) { return std::string(host.param.name); });

}  // namespace
}  // namespace gemmill::test
