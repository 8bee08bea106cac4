// SPDX-License-Identifier: Apache-2.0
// Law 8: best is not slower than a policy we know, nor on more devices than on fewer.
#include <gtest/gtest.h>

#include "planner/search/search.hpp"
#include "support/level3_case.hpp"
#include "support/machines.hpp"
#include "support/plan_case.hpp"

namespace gemmill::test {
namespace {

constexpr index_t largest = 500;  // plans of every policy are cheap enough

Problem some_problem(Random& random, const Machine& machine) {
    return random.chance(50) ? random_problem(random, machine, largest)
                             : random_level3(random, random.pick(level3_routines), largest,
                                             std::ssize(machine.memories));
}

/// Infinity where there is no plan.
double predicted(const Problem& problem, const Machine& machine, const Options& options) {
    try {
        return make_plan(problem, machine, options).prediction.seconds;
    } catch (const Error& error) {
        EXPECT_TRUE(error.code() == Code::out_of_memory || error.code() == Code::no_device)
            << error.what();
        return std::numeric_limits<double>::infinity();
    }
}

TEST(Promises, best_is_not_slower_than_a_named_policy) {
    Random random(81);
    for (int i = 0; i < affordable(60); ++i) {
        const Machine machine = random_machine(random);
        const Problem problem = some_problem(random, machine);
        Options options;
        const double best = predicted(problem, machine, options);
        for (const Policy& policy : policies()) {
            options.policy = policy.name;
            EXPECT_LE(best, predicted(problem, machine, options) * (1 + 1e-5))
                << policy.name << " on " << machine.name << ", case " << i;
        }
    }
}

TEST(Promises, all_devices_are_not_slower_than_half_of_them) {
    Random random(82);
    for (int i = 0; i < affordable(60); ++i) {
        const Machine machine = random_machine(random);
        if (machine.devices.size() < 2) continue;
        const Problem problem = some_problem(random, machine);
        Options options;
        const double all = predicted(problem, machine, options);
        options.devices = "0";
        for (std::size_t d = 1; d < machine.devices.size() / 2; ++d)
            options.devices += "," + std::to_string(d);
        EXPECT_LE(all, predicted(problem, machine, options) * (1 + 1e-9))
            << machine.name << ", case " << i;
    }
}

/// A plan for fewer devices still belongs to all that were allowed.
TEST(Promises, the_plan_names_all_devices_that_were_allowed) {
    Random random(83);
    for (int i = 0; i < affordable(30); ++i) {
        const Machine machine = random_machine(random);
        const Plan plan = make_plan(some_problem(random, machine), machine, {});
        EXPECT_EQ(plan.devices.size(), machine.devices.size());
        EXPECT_TRUE(validate(plan).empty()) << validate(plan).front();
    }
}

TEST(Promises, what_the_caller_chose_is_not_overruled) {
    Problem problem;
    problem.m = problem.n = problem.k = 900;
    Options options;
    options.tile = 300;
    const Plan plan = make_plan(problem, two_gpus(), options);
    for (const Tile& tile : plan.tiles) EXPECT_LE(std::max(tile.rows, tile.cols), 300);
}

}  // namespace
}  // namespace gemmill::test
