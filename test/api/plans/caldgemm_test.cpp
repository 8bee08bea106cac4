// SPDX-License-Identifier: Apache-2.0
// The CALDGEMM report's DGEMM on a node of LOEWE-CSC, simulated: policy dynamic with its tiles of
// 4096 and k = 1024.
#include <gtest/gtest.h>

#include "api/plans/plan_problem.hpp"
#include "task/problem.hpp"

namespace gemmill::test {
namespace {

double gigaflops(index_t n, const std::string& devices, const std::string& policy) {
    Problem p;
    p.m = p.n = n, p.k = 1024;
    p.beta = Factor::general;
    Options options;
    options.devices = devices;
    options.policy = policy;
    if (policy == "dynamic") options.tile = 4096;
    const Plan plan = plan_problem(p, load_machine("loewe-node"), options);
    return flops_of(p) / plan.prediction.seconds / 1e9;
}

/// Table 56 of the report.
constexpr double gpu_alone = 465.32, gpu_and_cpu = 623.52;

TEST(Caldgemm, the_gpu_and_both_reach_what_was_measured_within_5_percent) {
    for (const index_t n : {index_t{40960}, index_t{61440}, index_t{81920}}) {
        EXPECT_NEAR(gigaflops(n, "gpu0", "dynamic"), gpu_alone, 0.05 * gpu_alone) << n;
        EXPECT_NEAR(gigaflops(n, "all", "dynamic"), gpu_and_cpu, 0.05 * gpu_and_cpu) << n;
    }
}

TEST(Caldgemm, best_is_not_slower) {
    for (const char* const devices : {"gpu0", "all"})
        EXPECT_GE(gigaflops(40960, devices, "best"), gigaflops(40960, devices, "dynamic"));
}

}  // namespace
}  // namespace gemmill::test
