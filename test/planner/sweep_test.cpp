// SPDX-License-Identifier: Apache-2.0
// Every plan of a wide sweep (machines, shapes, placements, caps, tiles, policies) is valid, stays
// in its memory, predicts what the simulated machine then takes, and gives the right result.
#include <gtest/gtest.h>

#include <algorithm>

#include "backend/sim/sim.hpp"
#include "exec/run.hpp"
#include "model/engine.hpp"
#include "support/plan_case.hpp"
#include "task/problem.hpp"

namespace gemmill::test {
namespace {

::testing::AssertionResult stays_in_memory(const Plan& plan, const Options& options) {
    for (std::size_t m = 0; m < plan.slab.size(); ++m) {
        const bool device = plan.machine.memories[m].kind == MemoryKind::device;
        if (plan.slab[m] > plan.limit[m] || plan.limit[m] > plan.machine.memories[m].capacity)
            return ::testing::AssertionFailure() << "memory " << m << " exceeds its limit";
        if (device && options.device_memory > 0 && plan.slab[m] > options.device_memory)
            return ::testing::AssertionFailure() << "memory " << m << " exceeds the cap";
    }
    return ::testing::AssertionSuccess();
}

::testing::AssertionResult predicts_honestly(const Plan& plan) {
    SimBackend sim(plan.machine);
    const Timeline timeline = run(plan, sim, Binding{});
    if (makespan(timeline) != plan.prediction.seconds)
        return ::testing::AssertionFailure()
               << "predicted " << plan.prediction.seconds << " s, simulated " << makespan(timeline);
    if (predict(plan, timeline) != plan.prediction)
        return ::testing::AssertionFailure() << "the prediction differs from the simulated run";
    if (!plan.steps.empty() && plan.prediction.bound_seconds > plan.prediction.seconds * (1 + 1e-9))
        return ::testing::AssertionFailure()
               << "the bound " << plan.prediction.bound_seconds << " s is above the prediction "
               << plan.prediction.seconds;
    return ::testing::AssertionSuccess();
}

/// Whether the operands fill no device by more than half.
bool leaves_room(const Problem& p, const Machine& machine) {
    std::vector<std::int64_t> used(machine.memories.size(), 0);
    for (const OperandId o : {operand::A, operand::B, operand::C})
        used[static_cast<std::size_t>(p.home[static_cast<std::size_t>(o)])] += operand_bytes(p, o);
    for (std::size_t m = 0; m < used.size(); ++m)
        if (used[m] > machine.memories[m].capacity / 2) return false;
    return true;
}

struct Tally {
    int made = 0, refused = 0;
};

/// Makes one plan and looks at all of it but its result.
Plan check_plan(const Problem& problem, const Machine& machine, const Options& options,
                Tally& tally) {
    Plan plan;
    try {
        plan = make_plan(problem, machine, options);
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), Code::out_of_memory)
            << error.what() << "\n"
            << to_string(problem) << " on " << machine.name;
        EXPECT_GT(options.device_memory, 0)
            << error.what() << "\n"
            << to_string(problem) << " on " << machine.name << " tile " << options.tile;
        ++tally.refused;
        return plan;
    }
    ++tally.made;
    const auto faults = validate(plan);
    EXPECT_TRUE(faults.empty()) << faults.front() << "\n" << to_string(plan);
    EXPECT_TRUE(stays_in_memory(plan, options)) << to_string(plan);
    EXPECT_TRUE(predicts_honestly(plan)) << to_string(plan) << "\n" << to_text(machine);
    EXPECT_EQ(make_plan(problem, machine, options), plan) << "not deterministic";
    return plan;
}

TEST(PlannerSweep, small_plans_on_random_machines_give_the_right_result) {
    Random random(1);
    Tally tally;
    for (int i = 0; i < affordable(8000) && !HasFailure(); ++i) {
        const Machine machine = random_machine(random);
        ASSERT_TRUE(check(machine).empty()) << check(machine).front();
        const Problem problem = random_problem(random, machine, 24);
        const Options options = random_options(random, machine, 24);
        const Plan plan = check_plan(problem, machine, options, tally);
        if (plan.machine.memories.empty()) continue;
        Operands x(case_of(problem, random), random);
        x.allow_roundings(roundings(plan));
        SimBackend sim(machine);
        ASSERT_NO_THROW(run(plan, sim, x.binding())) << to_string(plan);
        ASSERT_TRUE(x.check()) << to_string(plan);
    }
    EXPECT_GT(tally.made, 10 * tally.refused);
}

TEST(PlannerSweep, large_plans_on_known_machines_are_valid) {
    Random random(2);
    Tally tally;
    const std::vector<Machine> machines = known_machines();
    for (int i = 0; i < affordable(300) && !HasFailure(); ++i) {
        const Machine& machine = random.pick(machines);
        Problem problem = random_problem(random, machine, 20'000);
        if (!leaves_room(problem, machine)) problem.home = {0, 0, 0};
        Options options;
        options.policy = random.chance(70) ? "best" : "naive";
        options.tile = random.chance(60) ? 0 : random.between(1500, 3000);
        if (random.chance(40)) options.device_memory = random.between(5, 900) << 20;
        check_plan(problem, machine, options, tally);
    }
    EXPECT_GT(tally.made, tally.refused);
}

TEST(PlannerSweep, large_plans_on_random_machines_are_valid) {
    Random random(4);
    Tally tally;
    for (int i = 0; i < affordable(1500) && !HasFailure(); ++i) {
        const Machine machine = random_machine(random);
        const Problem problem = random_problem(random, machine, 2000);
        Options options;
        options.tile = random.chance(60) ? 0 : random.between(200, 500);
        if (random.chance(30))
            options.devices = std::to_string(random.below(std::ssize(machine.devices)));
        check_plan(problem, machine, options, tally);
    }
    EXPECT_EQ(tally.refused, 0);
}

TEST(PlannerSweep, placements_on_devices_that_do_not_compute) {
    Random random(3);
    Tally tally;
    for (const char* line : {"gpu:3(mem=1GB,d=1T)", "gpu:3(mem=1GB,d=1T) nvlink:50GB/s"}) {
        const Machine machine = synthetic_machine(line);
        for (const char* devices : {"0", "1,2", "all"})
            for (MemoryId a = 0; a < 4; ++a)
                for (MemoryId b = 0; b < 4; ++b)
                    for (MemoryId c = 0; c < 4; ++c) {
                        Problem p;
                        p.m = 13, p.n = 11, p.k = 9;
                        p.alpha = p.beta = Factor::general;
                        p.home = {a, b, c};
                        Options options;
                        options.devices = devices;
                        options.tile = 5;
                        const Plan plan = check_plan(p, machine, options, tally);
                        Operands x(case_of(p, random), random);
                        SimBackend sim(machine);
                        run(plan, sim, x.binding());
                        ASSERT_TRUE(x.check()) << to_string(plan);
                    }
    }
    EXPECT_EQ(tally.refused, 0);
}

}  // namespace
}  // namespace gemmill::test
