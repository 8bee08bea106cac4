// SPDX-License-Identifier: Apache-2.0
#include "planner/candidate/beside.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "plan/access.hpp"
#include "planner/planner.hpp"
#include "support/level3_case.hpp"
#include "task/describe.hpp"

namespace gemmill::test {
namespace {

/// A GPU, and a CPU of a third of its rate unless told otherwise.
Machine gpu_and_cpu(const std::string& cpu = "1T") {
    return parse_machine(
        "machine pair issue=5us\n"
        "memory host kind=host size=100GB\n"
        "memory pageable kind=host size=100GB\n"
        "memory gpu0 size=20GB\n"
        "chip cpu\n"
        "efficiency cpu op=packing edges=1 others=1 parts=0.5\n"
        "device gpu0 memory=gpu0 queues=2 launch=5us bandwidth=1TB/s d=3T s=3T c=3T z=3T\n"
        "device cpu memory=host launch=5us chip=cpu bandwidth=100GB/s d=" +
        cpu + " s=" + cpu + " c=" + cpu + " z=" + cpu +
        "\n"
        "link host -> gpu0 bandwidth=20GB/s latency=10us\n"
        "link gpu0 -> host bandwidth=20GB/s latency=10us\n"
        "link pageable -> gpu0 bandwidth=10GB/s latency=30us\n"
        "link gpu0 -> pageable bandwidth=10GB/s latency=30us\n");
}

Problem square(Routine routine, index_t n, MemoryId home = 0) {
    Problem p;
    p.routine = routine;
    p.m = p.n = p.k = n;
    p.alpha = Factor::general;
    p.beta = is_in_place(routine) ? Factor::zero : Factor::general;
    p.home = {home, home, home};
    return p;
}

Plan plan_on(const Machine& machine, const Problem& p, const std::string& devices) {
    Options options;
    options.devices = devices;
    options.search = "200ms";
    return make_plan(p, machine, options);
}

double flops_on(const Plan& plan, DeviceId device) {
    return statistics(plan).device_flops[static_cast<std::size_t>(device)];
}

TEST(SearchBeside, the_cpu_gets_a_part_by_its_rate_and_the_plan_is_valid) {
    for (const Routine routine : {Routine::gemm, Routine::gemmt, Routine::symm, Routine::syrk,
                                  Routine::trmm, Routine::trsm}) {
        const Problem p = square(routine, 8192);
        const Plan alone = plan_on(gpu_and_cpu(), p, "0"), both = plan_on(gpu_and_cpu(), p, "all");
        ASSERT_TRUE(validate(both).empty()) << validate(both).front();
        EXPECT_EQ(problem_of(both), p);
        const double part = flops_on(both, 1) / statistics(both).flops;
        EXPECT_GT(part, 0.15) << describe(p);
        EXPECT_LT(part, 0.35) << describe(p);
        EXPECT_LT(both.prediction.seconds, 0.87 * alone.prediction.seconds) << describe(p);
    }
}

TEST(SearchBeside, the_cpu_computes_in_pageable_memory_with_the_cores_that_do_not_pack) {
    const Problem pinned = square(Routine::gemm, 8192), pageable = square(Routine::gemm, 8192, 1);
    const Plan fast = plan_on(gpu_and_cpu(), pinned, "all");
    const Plan slow = plan_on(gpu_and_cpu(), pageable, "all");
    ASSERT_TRUE(validate(slow).empty()) << validate(slow).front();
    EXPECT_GT(flops_on(slow, 1), 0.08 * statistics(slow).flops);
    EXPECT_LT(flops_on(slow, 1), 0.7 * flops_on(fast, 1));
}

TEST(SearchBeside, it_is_never_slower_than_the_gpu_alone) {
    Random random(3);
    for (int i = 0; i < 40; ++i) {
        const Machine machine = gpu_and_cpu(random.chance(50) ? "10G" : "2T");
        const Routine routine = random.chance(30) ? Routine::gemm : random.pick(level3_routines);
        const Problem p = square(routine, random.between(64, 4000), random.chance(50) ? 0 : 1);
        if (is_hermitian(routine)) continue;
        const Plan alone = plan_on(machine, p, "0"), both = plan_on(machine, p, "all");
        ASSERT_TRUE(validate(both).empty()) << validate(both).front();
        // Both searches have the same work to spend; the larger one spends some of it elsewhere.
        EXPECT_LE(both.prediction.seconds, 1.03 * alone.prediction.seconds) << describe(p);
    }
}

TEST(SearchBeside, a_slow_cpu_gets_nothing) {
    const Plan plan = plan_on(gpu_and_cpu("1G"), square(Routine::gemm, 2048, 1), "all");
    EXPECT_EQ(flops_on(plan, 1), 0);
}

/// A thirtieth of the lines are less than two blocks of those that kernels like best.
TEST(SearchBeside, blocks_are_fine_where_the_cpu_has_few_lines) {
    Draft frame;
    frame.machine = gpu_and_cpu();
    frame.machine.devices[0].rates.push_back({Type::d, {256}, {256}, {3e12}});
    frame.devices = {0, 1};
    frame.problem = square(Routine::gemm, 16384);
    EXPECT_EQ(whole_lines(frame, {}, 4096), 256);
    EXPECT_EQ(whole_lines(frame, {}, 600), 64);
    EXPECT_EQ(whole_lines(frame, {}, 10), 32);
    Choice fixed;
    fixed.fixed_tile = true;
    fixed.tile = {512, 512, 512};
    EXPECT_EQ(whole_lines(frame, fixed, 600), 512);
}

/// The best plan without it is found late, and so is its part.
TEST(SearchBeside, a_cpu_that_gains_three_percent_gets_its_part) {
    Machine machine = load_machine("h200");
    for (double& rate : machine.devices[0].peak) rate /= 3;
    machine.devices.push_back(gpu_and_cpu("600G").devices[1]);
    machine.devices[1].chip = -1;
    Options options;
    const Problem p = square(Routine::gemm, 16384);
    options.devices = "0";
    const Plan alone = make_plan(p, machine, options);
    options.devices = "all";
    const Plan both = make_plan(p, machine, options);
    EXPECT_GT(flops_on(both, 1), 0.02 * statistics(both).flops);
    EXPECT_LT(both.prediction.seconds, 0.98 * alone.prediction.seconds);
}

/// A CPU that has few lines takes longer for each: so it gets fewer.
TEST(SearchBeside, a_part_takes_both_equally_long) {
    Draft frame;
    frame.machine = gpu_and_cpu("300G");
    frame.machine.chips[0].efficiencies.push_back(
        {"narrow", "d", {64, 256, 1024}, {1}, {0.5, 0.8, 1}});
    frame.devices = {0, 1};
    for (const index_t n : {2048, 8192, 30000}) {
        frame.problem = square(Routine::gemm, n);
        const double alone = flops_of(frame.problem) / 3e12;
        const double part = part_beside(frame, 1, alone);
        EXPECT_LT(part, 1.01 / 11) << "but for whole lines";
        EXPECT_NEAR(cpu_seconds(frame, 1, part), (1 - part) * alone, 0.02 * alone) << n;
    }
}

/// All of two GPUs are half of nothing: the search on them alone is one of its own.
TEST(SearchBeside, two_gpus_and_a_cpu_are_not_slower_than_two_gpus) {
    Machine machine = load_machine("everest");
    machine.devices.push_back(gpu_and_cpu("100G").devices[1]);
    machine.devices.back().chip = -1;
    Random random(8);
    std::vector routines{Routine::gemm, Routine::symm,  Routine::syrk,
                         Routine::trmm, Routine::syr2k, Routine::trsm};
    for (int i = 0; i < 12; ++i) {
        const Routine routine = random.pick(routines);
        const Problem p = square(routine, random.between(1000, 16000));
        const Plan alone = plan_on(machine, p, "0,1,2"), both = plan_on(machine, p, "all");
        ASSERT_TRUE(validate(both).empty()) << validate(both).front();
        EXPECT_LE(both.prediction.seconds, 1.0001 * alone.prediction.seconds) << describe(p);
    }
}

/// A CPU so fast that it would leave fewer lines than there are GPUs.
TEST(SearchBeside, what_is_left_has_a_line_for_each_gpu) {
    const Machine machine = parse_machine(
        "machine both\n"
        "memory host kind=host size=1GB\nmemory gpu0 size=1GB\nmemory gpu1 size=1GB\n"
        "device gpu0 memory=gpu0 bandwidth=1TB/s d=1T\n"
        "device gpu1 memory=gpu1 bandwidth=1TB/s d=1T\n"
        "device cpu memory=host bandwidth=1TB/s d=1T\n"
        "link host -> gpu0 bandwidth=1GB/s latency=1us\nlink gpu0 -> host bandwidth=1GB/s\n"
        "link host -> gpu1 bandwidth=1GB/s latency=1us\nlink gpu1 -> host bandwidth=1GB/s\n");
    Random random(4);
    for (int i = 0; i < 100; ++i) {
        Problem p = square(Routine::gemm, 1);
        p.m = random.between(1, 40), p.n = random.between(1, 40), p.k = random.between(1, 40);
        const std::vector<std::string> faults = validate(plan_on(machine, p, "all"));
        EXPECT_TRUE(faults.empty()) << describe(p) << ": " << faults.front();
    }
}

TEST(SearchBeside, matrices_on_a_gpu_are_left_to_it) {
    Problem p = square(Routine::gemm, 4096);
    p.home[0] = 2;
    Draft frame;
    frame.machine = gpu_and_cpu();
    frame.devices = {0, 1};
    frame.problem = p;
    EXPECT_EQ(find_cpu_beside(frame), -1);
    frame.problem.home[0] = 1;
    EXPECT_EQ(find_cpu_beside(frame), 1);
    frame.devices = {1};
    EXPECT_EQ(find_cpu_beside(frame), -1);
}

TEST(SearchBeside, the_seconds_of_the_cpu_are_those_of_all_flops_at_its_rate) {
    Draft frame;
    frame.machine = gpu_and_cpu();
    frame.devices = {0, 1};
    for (const Routine routine : {Routine::gemm, Routine::syrk, Routine::symm, Routine::trsm}) {
        frame.problem = square(routine, 4096);
        const double least = flops_of(frame.problem) / 1e12;
        EXPECT_NEAR(cpu_seconds(frame, 1, 1), least, 0.01 * least);
        frame.problem.home = {1, 1, 1};
        EXPECT_NEAR(cpu_seconds(frame, 1, 1), 2 * least, 0.01 * least);
    }
}

}  // namespace
}  // namespace gemmill::test
