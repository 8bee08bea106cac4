// SPDX-License-Identifier: Apache-2.0
#include "api/plans/plan_problem.hpp"

#include <gtest/gtest.h>

#include <string>

#include "base/routine.hpp"
#include "gemmill/plan.hpp"
#include "plan/access.hpp"

namespace gemmill {
namespace {

/// A GPU and a CPU beside it; `cpu` is its rate.
Machine gpu_and_cpu(const std::string& cpu) {
    return parse_machine(
        "machine both\n"
        "memory host kind=host size=100GB\n"
        "memory gpu0 size=20GB\n"
        "device gpu0 memory=gpu0 queues=2 launch=5us bandwidth=1TB/s d=3T\n"
        "device cpu memory=host launch=5us bandwidth=100GB/s d=" +
        cpu +
        "\n"
        "link host -> gpu0 bandwidth=20GB/s latency=10us\n"
        "link gpu0 -> host bandwidth=20GB/s latency=10us\n");
}

double part_of_cpu(const std::string& rate, Routine routine, const char* policy) {
    Problem p;
    p.routine = routine;
    p.m = p.n = p.k = 9000;
    p.alpha = p.beta = Factor::general;
    Options options;
    options.policy = policy;
    const Plan plan = plan_problem(p, gpu_and_cpu(rate), options);
    EXPECT_TRUE(validate(plan).empty());
    const Statistics s = statistics(plan);
    return s.device_flops[1] / s.flops;
}

TEST(PlanProblem, a_cpu_that_would_hardly_be_felt_gets_nothing) {
    for (const Routine routine : {Routine::gemm, Routine::syrk})
        for (const char* policy : {"best", "dynamic"}) {
            EXPECT_EQ(part_of_cpu("30G", routine, policy), 0) << policy;
            EXPECT_GT(part_of_cpu("1T", routine, policy), 0.1) << policy;
        }
}

/// Law 8 for the policy that is scheduled: the sizes of tiles that it takes were too dear for best.
TEST(PlanProblem, best_is_not_slower_than_dynamic) {
    const auto seconds = [](Routine routine, index_t n, const char* machine, const char* policy) {
        Problem p;
        p.routine = routine;
        p.m = p.n = p.k = n;
        p.alpha = p.beta = Factor::general;
        Options options;
        options.policy = policy;
        return plan_problem(p, load_machine(machine), options).prediction.seconds;
    };
    for (const Routine routine : {Routine::syrk, Routine::symm, Routine::trmm, Routine::trsm})
        for (const char* machine : {"hgx-a100-8", "summit-node"})
            for (const index_t n : {11000, 27000})
                EXPECT_LE(seconds(routine, n, machine, "best"),
                          seconds(routine, n, machine, "dynamic") * (1 + 1e-9))
                    << name_of(routine) << ' ' << n << " on " << machine;
}

/// Transfers of many GPUs slow each other down: the plan of policy dynamic is over twice the work
/// that was meant for it, and far better than what else is found.
TEST(PlanProblem, best_is_not_slower_than_dynamic_where_its_plan_is_dear) {
    const Machine machine =
        synthetic_machine("gpu:15(mem=40GB,d=10T,z=10T) pcie:20GB/s nvlink:100GB/s");
    for (const Routine routine : {Routine::symm, Routine::her2k}) {
        Problem p;
        p.routine = routine;
        p.type = Type::z;
        p.m = p.n = p.k = 10000;
        p.alpha = p.beta = Factor::general;
        Options best, dynamic;
        dynamic.policy = "dynamic";
        EXPECT_LE(plan_problem(p, machine, best).prediction.seconds,
                  plan_problem(p, machine, dynamic).prediction.seconds * (1 + 1e-9))
            << name_of(routine);
    }
}

}  // namespace
}  // namespace gemmill
