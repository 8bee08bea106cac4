// SPDX-License-Identifier: Apache-2.0
#include "schedule/queue/rectangles.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "gemmill/error.hpp"
#include "plan/access.hpp"
#include "schedule/recipe/propose.hpp"
#include "schedule/schedule.hpp"
#include "support/any_order.hpp"
#include "support/goal_case.hpp"
#include "support/schedule_case.hpp"

namespace gemmill::test {
namespace {

Machine gpus_and_cpu(int gpus, const std::string& cpu = "1T") {
    std::string text =
        "machine both\n"
        "memory host kind=host size=10GB\n"
        "memory pageable kind=host size=10GB\n";
    for (int g = 0; g < gpus; ++g)
        text += fmt::format(
            "memory gpu{0} size=1GB\n"
            "device gpu{0} memory=gpu{0} queues=2 bandwidth=1TB/s d=3T s=3T c=3T z=3T h=3T b=3T\n"
            "link host -> gpu{0} bandwidth=10GB/s\nlink gpu{0} -> host bandwidth=10GB/s\n"
            "link pageable -> gpu{0} bandwidth=5GB/s\nlink gpu{0} -> pageable bandwidth=5GB/s\n",
            g);
    text += "link host -> host bandwidth=10GB/s\n";
    text += fmt::format(
        "device cpu memory=host bandwidth=1TB/s d={0} s={0} c={0} z={0} h={0} b={0}\n", cpu);
    return parse_machine(text);
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

/// Tasks that take so long are begun; a task takes 1.
std::vector<TaskId> take(Rectangles& rectangles, std::set<TaskId>& gone, std::size_t most = 1000) {
    const std::vector<TaskId> some =
        rectangles.next({[&](TaskId t) { return !gone.contains(t); },
                         [&](const std::vector<TaskId>& tasks) { return tasks.size() <= most; }});
    gone.insert(some.begin(), some.end());
    return some;
}

TEST(Rectangles, the_three_phases) {
    const Tasks tasks = tasks_of(square(Routine::gemm, 100), {10, 10, 100});  // 10 x 10
    Rectangles rectangles(tasks, 0.25, 1);
    std::set<TaskId> gone;
    const auto first = take(rectangles, gone);
    EXPECT_EQ(first.size(), 20U) << "two columns and a half, rounded in favour of the GPU";
    for (const TaskId t : first) EXPECT_GE(tasks.tasks[static_cast<std::size_t>(t)].col, 8);
    for (TaskId t = 0; t < 56; ++t) gone.insert(t);  // the GPU has done its part; 24 are left
    const auto second = take(rectangles, gone);
    EXPECT_EQ(second.size(), 6U);
    std::size_t singles = 0;
    while (!take(rectangles, gone).empty()) ++singles;
    EXPECT_EQ(singles, 16U) << "two of 18 stay with the GPU";
    EXPECT_EQ(gone.size(), 98U);
}

TEST(Rectangles, two_for_each_gpu_are_left_and_no_part_is_none) {
    const Tasks tasks = tasks_of(square(Routine::gemm, 40), {10, 10, 40});  // 16
    Rectangles many(tasks, 0.01, 8), none(tasks, 0, 1);
    std::set<TaskId> gone;
    EXPECT_TRUE(take(many, gone).empty());
    EXPECT_TRUE(take(none, gone).empty());
}

TEST(Rectangles, squares_at_a_diagonal_are_taken_one_by_one) {
    const Tasks tasks = tasks_of(square(Routine::syrk, 60), {10, 10, 60});  // 21
    Rectangles rectangles(tasks, 0.3, 1);
    std::set<TaskId> gone;
    while (true) {
        const auto some = take(rectangles, gone);
        if (some.empty()) break;
        const auto is_square = [&](TaskId t) {
            return tasks.tasks[static_cast<std::size_t>(t)].row ==
                   tasks.tasks[static_cast<std::size_t>(t)].col;
        };
        EXPECT_TRUE(some.size() == 1 || std::ranges::none_of(some, is_square));
    }
    EXPECT_EQ(gone.size(), 19U);
}

TEST(Rectangles, half_of_what_is_left_of_the_strip_at_a_time) {
    const Tasks tasks = tasks_of(square(Routine::gemm, 100), {10, 10, 100, 20});
    ASSERT_EQ(tasks.strip, 8);
    Rectangles rectangles(tasks, 0.2, 1);
    std::set<TaskId> gone;
    std::vector<std::size_t> sizes;
    while (sizes.size() < 4) {
        const auto some = take(rectangles, gone);
        for (const TaskId t : some) EXPECT_TRUE(in_strip(tasks, t));
        sizes.push_back(some.size());
    }
    EXPECT_EQ(sizes, (std::vector<std::size_t>{10, 6, 2, 2})) << "of two columns";
    for (const TaskId t : take(rectangles, gone)) EXPECT_FALSE(in_strip(tasks, t));
}

TEST(Rectangles, nothing_is_begun_that_would_end_too_late) {
    const Tasks tasks = tasks_of(square(Routine::gemm, 100), {10, 10, 100, 20});
    Rectangles rectangles(tasks, 0.2, 1);
    std::set<TaskId> gone;
    EXPECT_EQ(take(rectangles, gone, 5).size(), 4U) << "two lines instead of five";
    EXPECT_EQ(take(rectangles, gone, 1).size(), 0U);
    EXPECT_EQ(take(rectangles, gone).size(), 0U) << "later there is still less time";
}

TEST(Rectangles, the_strip_of_a_triangle) {
    for (const Uplo uplo : {Uplo::Lower, Uplo::Upper}) {
        Problem p = square(Routine::syrk, 60);
        p.uplo = uplo;
        const Tasks tasks = tasks_of(p, {10, 10, 60, 20});
        ASSERT_EQ(tasks.strip, 4);
        EXPECT_EQ(tasks.strip_rows, uplo == Uplo::Lower);
        Rectangles rectangles(tasks, 0.5, 1);
        std::set<TaskId> gone;
        EXPECT_EQ(take(rectangles, gone).size(), 4U);
        EXPECT_EQ(take(rectangles, gone).size(), 2U);
        EXPECT_EQ(take(rectangles, gone).size(), 2U);
        for (int i = 0; i < 3; ++i) EXPECT_EQ(take(rectangles, gone).size(), 1U);
        for (const TaskId t : gone) EXPECT_TRUE(in_strip(tasks, t));
    }
}

TEST(Rectangles, who_does_what) {
    const Machine machine = gpus_and_cpu(1);
    const auto use = [&](Routine routine, MemoryId home, DeviceId device) {
        const Problem p = square(routine, 40, home);
        const Tasks tasks = tasks_of(p, {10, 10, 10});
        Plan frame = frame_of(p, machine);
        frame.tiles = tasks.tiles;
        return use_of(frame, tasks, device);
    };
    EXPECT_EQ(use(Routine::gemm, 0, 0), CpuUse::tasks);
    EXPECT_EQ(use(Routine::gemm, 0, 1), CpuUse::rectangles);
    EXPECT_EQ(use(Routine::gemm, 1, 1), CpuUse::rectangles);
    EXPECT_EQ(use(Routine::syrk, 1, 1), CpuUse::rectangles);
    EXPECT_EQ(use(Routine::gemm, 2, 1), CpuUse::tasks) << "on the GPU";
    EXPECT_EQ(use(Routine::trsm, 0, 1), CpuUse::tasks);
    EXPECT_EQ(use(Routine::trsm, 1, 1), CpuUse::nothing);
    EXPECT_EQ(use(Routine::symm, 1, 1), CpuUse::nothing);
}

TEST(Rectangles, the_part_by_rates_is_that_of_the_machine) {
    const Machine machine = gpus_and_cpu(2);
    const Problem p = square(Routine::gemm, 4000);
    const Tasks tasks = tasks_of(p, {1000, 1000, 1000});
    Plan frame = frame_of(p, machine);
    frame.tiles = tasks.tiles;
    EXPECT_NEAR(part_of_cpu(frame, tasks, 2, ScheduleOptions::by_rate), 1.0 / 7, 0.01);
    frame.machine = gpus_and_cpu(2, "60G");  // a hundredth of both GPUs
    EXPECT_EQ(part_of_cpu(frame, tasks, 2, ScheduleOptions::by_rate), 0);
    EXPECT_NEAR(part_of_cpu(frame, tasks, 2, ScheduleOptions::probe), 0.01, 0.001);
    EXPECT_EQ(part_of_cpu(frame, tasks, 2, 0.3), 0.3);
}

/// All routines, homes and completions: with a CPU that takes rectangles, tasks or nothing.
TEST(Rectangles, plans_are_valid_and_right) {
    Random random(5);
    int shared = 0;
    for (int i = 0; i < affordable(800) && !HasFailure(); ++i) {
        ScheduleCase x;
        const Machine machine =
            gpus_and_cpu(static_cast<int>(random.between(1, 3)), random.chance(50) ? "1T" : "9T");
        x.problem = any_routine(random, machine, 24);
        if (random.chance(70)) x.problem.home.fill(static_cast<MemoryId>(random.below(2)));
        const auto size = [&] { return random.between(2, 12); };
        x.tiles = {size(), size(), size()};
        x.frame = frame_of(x.problem, machine);
        if (random.chance(40))
            for (std::size_t m = 2; m < x.frame.limit.size(); ++m)
                x.frame.limit[m] = random.between(10'000, 60'000);
        if (random.chance(50)) x.tiles.strip = random.between(1, 12);
        x.tasks = tasks_of(x.problem, x.tiles);
        x.options = random.chance(50) ? ScheduleOptions{} : any_switches(random);
        if (random.chance(30)) x.options.cpu_part = 0.3;
        Plan plan;
        try {
            plan = schedule_on_clock(x.frame, x.tasks, x.options);
        } catch (const Error& error) {
            // A matrix on a GPU and one that is pageable: there may be no way for a tile.
            ASSERT_THAT(error.code(), ::testing::AnyOf(Code::no_device, Code::out_of_memory))
                << error.what() << x.text();
            continue;
        }
        ASSERT_THAT(validate(plan), ::testing::IsEmpty()) << x.text();
        GoalCase data(plan, random);
        ASSERT_TRUE(right_in_any_order(plan, data, random)) << x.text();
        shared += statistics(plan).device_flops.back() > 0 ? 1 : 0;
    }
    EXPECT_GT(shared, affordable(800) / 10) << "cases in which the CPU computed";
}

/// A GPU beside a CPU that takes rectangles, or nothing, has its memory and queues for itself.
TEST(Rectangles, a_gpu_beside_a_cpu_does_what_it_does_alone) {
    Random random(6);
    Machine both = gpus_and_cpu(1);
    both.memories[2].capacity = 8 << 20;
    both.devices[0].rates.push_back({Type::d, {256}, {256}, {3e12}});
    Machine alone = both;
    alone.devices.pop_back();
    std::vector routines{Routine::gemm, Routine::syrk, Routine::trsm};
    for (int i = 0; i < 30; ++i) {
        Problem p = square(random.pick(routines), random.between(500, 2000));
        // A CPU that reaches what a solve reads would take tasks of it.
        if (p.routine == Routine::trsm) p.home = {1, 1, 1};
        const index_t tile = random.between(100, 400);
        const Tasks tasks = tasks_of(p, {tile, tile, tile});
        ScheduleOptions options;
        options.cpu_part = 0;
        const Plan beside = schedule_on_clock(frame_of(p, both), tasks, options);
        const Plan one = schedule_on_clock(frame_of(p, alone), tasks, options);
        EXPECT_EQ(makespan(simulate(beside)), makespan(simulate(one))) << describe(p);
        EXPECT_EQ(statistics(beside).read, statistics(one).read) << describe(p);
    }
}

/// Targets that are made together do not wait for those that the CPU makes.
TEST(Rectangles, a_cpu_does_not_hold_back_blocks_of_targets) {
    Machine machine = gpus_and_cpu(1);
    machine.memories[2].capacity = 16 << 20;
    Problem p = square(Routine::gemm, 2048);
    p.k = 16384;
    TaskTiles tiles{256, 256, 256};
    Machine alone = machine;
    alone.devices.pop_back();
    const double seconds =
        makespan(simulate(schedule_on_clock(frame_of(p, alone), tasks_of(p, tiles), {})));
    for (const index_t strip : {0, 192, 512}) {
        tiles.strip = strip;
        const Plan plan = schedule_on_clock(frame_of(p, machine), tasks_of(p, tiles), {});
        EXPECT_THAT(validate(plan), ::testing::IsEmpty());
        EXPECT_GT(statistics(plan).device_flops[1], 0);
        EXPECT_LT(makespan(simulate(plan)), seconds) << strip;
    }
}

/// A split that is fixed before leaves three quarters to a GPU of half its rate.
TEST(Rectangles, later_phases_mend_a_gpu_that_is_slower_than_the_machine_says) {
    const Machine machine = gpus_and_cpu(1);
    const Problem p = square(Routine::gemm, 8000);
    const Tasks tasks = tasks_of(p, {500, 500, 8000});
    const auto seconds = [&](const std::vector<Disturbance>& disturbances) {
        return makespan(schedule_disturbed(frame_of(p, machine), tasks, {}, disturbances).timeline);
    };
    const double undisturbed = flops_of(p) / 4e12, least = flops_of(p) / 2.5e12;
    EXPECT_LT(seconds({}), 1.15 * undisturbed);
    EXPECT_LT(seconds({{false, 0, 0.5, 0}}), 1.1 * least);
    EXPECT_LT(1.1 * least, 0.75 * flops_of(p) / 1.5e12) << "which a fixed split takes";
}

TEST(Rectangles, a_recipe_has_the_tiles_of_the_gpus) {
    const Machine machine = gpus_and_cpu(1);
    const Problem p = square(Routine::gemm, 4000);
    const Plan plan = schedule_on_clock(frame_of(p, machine), tasks_of(p, {500, 400, 1000}), {});
    ASSERT_GT(statistics(plan).device_flops.back(), 0);
    const Recipe recipe = recipe_of(plan, p);
    EXPECT_EQ(recipe.tiles, (TaskTiles{500, 400, 1000}));
    EXPECT_EQ(recipe.devices, (std::vector<DeviceId>{0, 1}));
}

}  // namespace
}  // namespace gemmill::test
