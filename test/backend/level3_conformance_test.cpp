// SPDX-License-Identifier: Apache-2.0
// Every routine of level 3 on every backend.
#include "backend/conformance.hpp"
#include "exec/run.hpp"
#include "planner/planner.hpp"
#include "support/level3_case.hpp"
#include "support/plan_case.hpp"

namespace gemmill::test {
namespace {

/// Odd sizes; some are large enough for several blocks of a kernel.
Problem odd_problem(Random& random, Routine routine, const Machine& machine) {
    Problem p = random_level3(random, routine, 20, std::ssize(machine.memories));
    const auto odd = [&] { return 2 * random.between(0, random.chance(10) ? 150 : 20) + 1; };
    p.m = odd(), p.n = odd(), p.k = odd();
    if (reads_triangle(routine))
        p.k = p.side == Side::Left ? p.m : p.n;
    else
        p.m = p.n;
    return p;
}

/// Runs a plan twice on operands where the problem says they live.
void run_twice(Backend& backend, const Problem& p, const Options& options, Random& random) {
    Plan plan;
    try {
        plan = make_plan(p, backend.machine(), options);
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), Code::out_of_memory) << error.what();
        EXPECT_GT(options.device_memory, 0) << error.what();
        return;
    }
    ASSERT_TRUE(validate(plan).empty()) << validate(plan).front() << "\n" << describe(p);
    Homes homes(backend);
    Level3Operands x(p, random, homes.of(p, random));
    run(plan, backend, x.binding());
    ASSERT_TRUE(x.check()) << options.policy << " tile " << options.tile << " cap "
                           << options.device_memory;
    const auto bits = x.c().elements();
    x.reset();
    run(plan, backend, x.binding());
    x.fetch();
    ASSERT_EQ(x.c().elements(), bits) << describe(p);
}

TEST_P(Conformance, every_routine_gives_the_right_result_twice) {
    Random random(20);
    for (int devices = 1; devices <= 4; ++devices) {
        const auto backend = make(devices);
        for (const Routine routine : level3_routines)
            for (int i = 0; i < affordable(24) && !HasFailure(); ++i) {
                Options options;
                if (random.chance(60)) options.tile = random.between(3, 40);
                if (random.chance(30)) options.device_memory = 256 * random.between(8, 400);
                options.policy = random.chance(70) ? "best" : random.pick(policies()).name;
                run_twice(*backend, odd_problem(random, routine, backend->machine()), options,
                          random);
            }
    }
}

}  // namespace
}  // namespace gemmill::test
