// SPDX-License-Identifier: Apache-2.0
// Costs that are remembered are those of the model.
#include "planner/route/costs.hpp"

#include <gtest/gtest.h>

#include "plan/ops.hpp"
#include "planner/planner.hpp"

namespace gemmill::test {
namespace {

void expect_costs_of_the_model(const Problem& problem, const char* machine, const char* policy) {
    Options options;
    options.policy = policy;
    options.tile = 300;
    Draft draft;
    static_cast<Plan&>(draft) = make_plan(problem, load_machine(machine), options);
    KernelCosts costs(draft);
    for (const Step& step : draft.steps) {
        const Queue& queue = draft.queues[static_cast<std::size_t>(step.queue)];
        if (queue.kind != QueueKind::compute) continue;
        const Cost known = costs.of(step, queue.index), right = cost_of(draft, step);
        EXPECT_EQ(known.latency, right.latency);
        EXPECT_EQ(known.amount, right.amount);
        EXPECT_EQ(known.rate, right.rate);
    }
}

Problem problem_of(Routine routine) {
    Problem p;
    p.routine = routine;
    p.m = p.n = p.k = 1000;  // no whole tiles
    p.alpha = p.beta = Factor::general;
    return p;
}

TEST(Costs, of_kernels_are_those_of_the_model) {
    for (const Routine routine : {Routine::gemm, Routine::syrk, Routine::syr2k, Routine::symm,
                                  Routine::trmm, Routine::trsm})
        for (const char* const machine : {"hgx-a100-8", "h200"})
            for (const char* const policy : {"uncut", "blasx", "naive"})
                expect_costs_of_the_model(problem_of(routine), machine, policy);
}

/// A device that computes where the matrices lie uses them there.
TEST(Costs, of_matrices_at_home_are_those_of_the_model) {
    for (const Routine routine : {Routine::gemm, Routine::syrk, Routine::trmm}) {
        Problem p = problem_of(routine);
        p.home = {1, 0, 1};
        expect_costs_of_the_model(p, "hgx-a100-8", "uncut");
    }
}

}  // namespace
}  // namespace gemmill::test
