// SPDX-License-Identifier: Apache-2.0
#include "schedule/recipe/guess.hpp"

#include <gtest/gtest.h>

#include "schedule/schedule.hpp"
#include "support/schedule_case.hpp"

namespace gemmill::test {
namespace {

struct Sizes {
    explicit Sizes(index_t n, const char* machine = "hgx-a100-8", MemoryId home = 0) {
        problem.m = problem.n = problem.k = n;
        problem.beta = Factor::general;
        problem.home = {home, home, home};
        frame = frame_of(problem, load_machine(machine));
    }
    double guess(const TaskTiles& tiles) const { return Guess(frame, problem, {}).seconds(tiles); }
    double planned(const TaskTiles& tiles) const {
        return schedule_on_clock(frame, tasks_of(problem, tiles), {}).prediction.seconds;
    }

    Problem problem;
    Plan frame;
};

TEST(Guess, is_never_under_the_bound_and_near_what_is_planned) {
    for (const MemoryId home : {0, 1})
        for (const index_t n : {6000, 12'000}) {
            const Sizes sizes(n, "hgx-a100-8", home);
            for (const TaskTiles& tiles : {TaskTiles{n, n / 16, n / 2}, {n / 4, n / 8, n / 2}}) {
                const double guess = sizes.guess(tiles), planned = sizes.planned(tiles);
                const Plan& f = sizes.frame;
                EXPECT_GE(guess, 0.999 * bound_seconds(f.machine, f.operands, f.goal, f.devices));
                EXPECT_GT(guess, 0.6 * planned) << n << " at " << home;
                EXPECT_LT(guess, 1.4 * planned) << n << " at " << home;
            }
        }
}

TEST(Guess, long_columns_are_better_where_each_costs) {
    const Sizes sizes(16'384);
    EXPECT_LT(sizes.guess({8192, 512, 8192}), sizes.guess({512, 8192, 8192}));
}

TEST(Guess, too_few_targets_leave_devices_idle) {
    const Sizes sizes(16'384);
    EXPECT_GT(sizes.guess({8192, 8192, 2048}), 1.5 * sizes.guess({4096, 2048, 2048}));
}

TEST(Guess, a_chain_is_the_work_of_one_device) {
    Sizes sizes(16'384);
    sizes.problem.routine = Routine::trsm;
    sizes.problem.beta = Factor::zero;
    sizes.frame = frame_of(sizes.problem, load_machine("hgx-a100-8"));
    EXPECT_GT(sizes.guess({2048, 8192, 2048}), 2 * sizes.guess({2048, 2048, 2048}))
        << "two chains for eight devices";
    EXPECT_GT(sizes.planned({2048, 8192, 2048}), sizes.planned({2048, 2048, 2048}));
}

TEST(Guess, too_many_steps_cost) {
    const Sizes sizes(16'384);
    EXPECT_GT(sizes.guess({256, 256, 256}), 2 * sizes.guess({4096, 2048, 2048}));
}

TEST(Guess, without_links_between_devices_all_comes_from_home) {
    const Sizes alone(8192, "gpu:4(mem=16GB,d=7T) pcie:10GB/s"),
        joined(8192, "gpu:4(mem=16GB,d=7T) nvlink:100GB/s pcie:10GB/s");
    EXPECT_GT(alone.guess({1024, 1024, 2048}), 1.2 * joined.guess({1024, 1024, 2048}));
}

}  // namespace
}  // namespace gemmill::test
