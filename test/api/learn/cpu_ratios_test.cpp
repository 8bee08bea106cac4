// SPDX-License-Identifier: Apache-2.0
#include "api/learn/cpu_ratios.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "schedule/options.hpp"
#include "task/problem.hpp"

namespace gemmill::test {
namespace {

Problem product(index_t n) {
    Problem p;
    p.m = p.n = p.k = n;
    return p;
}

/// A call on GPUs that reach g flop/s and a CPU that reaches c, when it gets this part.
SharedRun run_of(const Problem& p, double part, double g, double c) {
    SharedRun run;
    run.cpu_flops = part * flops_of(p), run.gpu_flops = (1 - part) * flops_of(p);
    run.cpu_seconds = run.cpu_flops / c, run.gpu_seconds = run.gpu_flops / g;
    run.seconds = std::max(run.cpu_seconds, run.gpu_seconds);
    return run;
}

/// So many calls; the part of the last one. The machine file promises 0.4 for the CPU.
double after(CpuRatios& ratios, const Problem& p, int calls, double g, double c) {
    double part = 0;
    for (int i = 0; i < calls; ++i) {
        part = ratios.part_for(p);
        if (part < 0) part = 0.4;
        ratios.note(p, run_of(p, part, g, c));
    }
    return part;
}

TEST(CpuRatios, the_part_becomes_that_of_the_measured_rates) {
    CpuRatios ratios;
    const Problem p = product(1000);
    EXPECT_LT(ratios.part_for(p), 0);
    EXPECT_NEAR(after(ratios, p, 12, 3e12, 1e12), 0.25, 0.001);
    EXPECT_NEAR(after(ratios, p, 14, 1e12, 1e12), 0.5, 0.01) << "it follows";
}

TEST(CpuRatios, the_second_call_is_the_gpus_alone) {
    CpuRatios ratios;
    const Problem p = product(1000);
    after(ratios, p, 1, 3e12, 1e12);
    EXPECT_EQ(ratios.part_for(p), 0);
    after(ratios, p, 1, 3e12, 1e12);
    EXPECT_GT(ratios.part_for(p), 0);
}

/// Where cores that pack and cores that compute hinder each other.
SharedRun hindered(const Problem& p, double part) {
    return run_of(p, part, part > 0 ? 1e12 : 3e12, 1e11);
}

TEST(CpuRatios, what_does_not_pay_gets_nothing_and_is_tried_again) {
    CpuRatios ratios;
    const Problem p = product(1000);
    int joint = 0;
    for (int i = 0; i < 64; ++i) {
        double part = ratios.part_for(p);
        if (part < 0) part = 0.4;
        joint += part > 0 ? 1 : 0;
        ratios.note(p, hindered(p, part));
    }
    EXPECT_EQ(joint, 2 + 2) << "two to learn, a probe after 16 calls, and one after 32 more";
    after(ratios, p, 130, 3e12, 1e12);
    EXPECT_NEAR(after(ratios, p, 2, 3e12, 1e12), 0.25, 0.01) << "a probe finds out";
}

/// A machine file that says a tenth of what the CPU reaches: by its rate it would hardly be felt.
TEST(CpuRatios, a_cpu_that_is_thought_to_be_slow_is_found_out) {
    CpuRatios ratios;
    const Problem p = product(1000);
    int probes = 0;
    double part = 0;
    for (int i = 0; i < 40; ++i) {
        part = ratios.part_for(p);
        probes += part == ScheduleOptions::probe ? 1 : 0;
        const double given = part == ScheduleOptions::probe ? 0.01 : std::max(part, 0.0);
        ratios.note(p, run_of(p, given, 9e12, 1e12));
    }
    EXPECT_EQ(probes, 1);
    EXPECT_NEAR(part, 0.1, 0.01);
}

/// Nothing was begun for it, for that would have ended too late.
TEST(CpuRatios, a_cpu_that_is_slow_is_tried_ever_more_rarely) {
    CpuRatios ratios;
    const Problem p = product(1000);
    std::vector<int> probes;
    for (int i = 0; i < 200; ++i) {
        const double part = ratios.part_for(p);
        EXPECT_LE(part, 0);
        if (part == ScheduleOptions::probe) probes.push_back(i);
        ratios.note(p, run_of(p, 0, 9e12, 1e12));
    }
    EXPECT_EQ(probes, (std::vector<int>{16, 49, 114}));
}

TEST(CpuRatios, classes_are_apart) {
    CpuRatios ratios;
    after(ratios, product(1000), 5, 3e12, 1e12);
    EXPECT_LT(ratios.part_for(product(4000)), 0);
    Problem single = product(1000);
    single.type = Type::s;
    EXPECT_LT(ratios.part_for(single), 0);
}

TEST(CpuRatios, a_run_is_measured_by_device) {
    Plan plan;
    plan.machine = parse_machine(
        "machine pair\n"
        "memory host kind=host size=1GB\n"
        "memory gpu0 size=1GB\n"
        "device gpu0 memory=gpu0 bandwidth=1TB/s d=3T\n"
        "device cpu memory=host bandwidth=1TB/s d=1T\n");
    plan.operands = {{"A", Type::d, 4, 4}, {"B", Type::d, 4, 4}, {"C", Type::d, 4, 4}};
    plan.goal = {2, Scale::zero, false, {{Scale::alpha, 0, 1}}};
    plan.tiles = {{0, 0, 0, 4, 4}, {1, 0, 0, 4, 4}, {2, 0, 0, 4, 4}};
    plan.queues = {{QueueKind::compute, 0}, {QueueKind::compute, 1}};
    Step step;
    step.op = Opcode::gemm;
    step.out = {2, Ref::home};
    step.in = {Ref{0, Ref::home}, Ref{1, Ref::home}};
    step.queue = 0;
    plan.steps = {step, step};
    plan.steps[1].queue = 1;
    const SharedRun run = shared_run(plan, {{1, 3}, {2, 7}}, 8);
    EXPECT_EQ(run.gpu_flops, 128);
    EXPECT_EQ(run.cpu_flops, 128);
    EXPECT_EQ(run.gpu_seconds, 3);
    EXPECT_EQ(run.cpu_seconds, 5);
    EXPECT_EQ(run.seconds, 8);
}

}  // namespace
}  // namespace gemmill::test
