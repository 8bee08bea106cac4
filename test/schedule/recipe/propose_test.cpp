// SPDX-License-Identifier: Apache-2.0
#include "schedule/recipe/propose.hpp"

#include <gtest/gtest.h>

#include "schedule/schedule.hpp"
#include "support/picky.hpp"
#include "support/schedule_case.hpp"

namespace gemmill::test {
namespace {

Problem square(index_t n) {
    Problem p;
    p.m = p.n = p.k = n;
    p.alpha = p.beta = Factor::general;
    return p;
}

TEST(Propose, large_plans_on_known_machines_are_valid) {
    Random random(1);
    int made = 0;
    const std::vector<Machine> machines = known_machines();
    for (int i = 0; i < affordable(120) && !HasFailure(); ++i) {
        const Machine& machine = random.pick(machines);
        Problem p = any_routine(random, machine, 12'000);
        p.home = {0, 0, 0};
        if (machine.devices.front().peak[static_cast<std::size_t>(p.type)] <= 0) continue;
        Plan frame = frame_of(p, machine);
        if (random.chance(40))
            for (std::size_t m = 1; m < frame.limit.size(); ++m)
                frame.limit[m] = std::min(frame.limit[m], random.between(20, 900) << 20);
        ProposalLimits limits;
        limits.steps = 3000;
        const auto found = propose(frame, p, limits);
        ASSERT_TRUE(found.has_value()) << describe(p) << machine.name;
        ++made;
        if (found->plan.steps.size() > 20'000) continue;
        ASSERT_THAT(validate(found->plan), ::testing::IsEmpty()) << describe(p) << machine.name;
        const bool nothing = p.m == 0 || p.n == 0;
        EXPECT_EQ(found->plan.steps.empty(), nothing);
        EXPECT_LE(found->plan.prediction.bound_seconds,
                  found->plan.prediction.seconds * (1 + 1e-9) + (nothing ? 1 : 0));
    }
    EXPECT_GT(made, affordable(120) / 2);
}

TEST(Propose, without_a_prediction_the_plan_is_the_same) {
    const Machine machine = load_machine("hgx-a100-8");
    const Problem p = square(9000);
    ProposalLimits limits;
    limits.steps = 3000;
    const auto whole = propose(frame_of(p, machine), p, limits);
    limits.predicted = false;
    const auto quick = propose(frame_of(p, machine), p, limits);
    ASSERT_TRUE(whole && quick);
    EXPECT_EQ(quick->plan.steps, whole->plan.steps);
    EXPECT_EQ(whole->plan.prediction.seconds, makespan(simulate(whole->plan)));
    EXPECT_NEAR(quick->plan.prediction.seconds, whole->plan.prediction.seconds,
                0.1 * whole->plan.prediction.seconds);
    EXPECT_TRUE(quick->plan.prediction.device_busy.empty());
}

/// GPUs beside which a CPU reaches so much.
Machine beside(const std::string& cpu) {
    return parse_machine(
        "machine beside\nmemory host kind=host size=100GB\nmemory gpu0 size=20GB\n"
        "device gpu0 memory=gpu0 queues=2 launch=5us bandwidth=1TB/s s=3T d=3T c=3T z=3T\n"
        "device cpu memory=host launch=5us bandwidth=100GB/s s=" +
        cpu + " d=" + cpu + " c=" + cpu + " z=" + cpu +
        "\nlink host -> gpu0 bandwidth=20GB/s latency=10us\n"
        "link gpu0 -> host bandwidth=20GB/s latency=10us\n"
        "link host -> host bandwidth=50GB/s\n");
}

TEST(Propose, a_cpu_beside_gpus_makes_nothing_slower) {
    Random random(2);
    int shared = 0;
    std::vector<std::string> rates{"20G", "200G", "2T"};
    for (int i = 0; i < affordable(60); ++i) {
        const Machine machine = beside(random.pick(rates));
        Problem p = any_routine(random, machine, 6000);
        p.home = {0, 0, 0};
        if (p.type == Type::h || p.type == Type::b) continue;
        Plan frame = frame_of(p, machine), gpu = frame;
        gpu.devices = {0};
        ProposalLimits limits;
        limits.steps = 2000;
        const auto both = propose(frame, p, limits), alone = propose(gpu, p, limits);
        ASSERT_TRUE(both && alone) << describe(p);
        EXPECT_LE(both->plan.prediction.seconds, alone->plan.prediction.seconds) << describe(p);
        EXPECT_EQ(both->plan.devices, frame.devices);
        shared += both->plan.prediction.seconds < alone->plan.prediction.seconds ? 1 : 0;
    }
    EXPECT_GT(shared, affordable(60) / 10);
}

TEST(Propose, the_tile_that_was_asked_for_is_taken) {
    const Problem p = square(1000);
    ProposalLimits limits;
    limits.tile = 300;
    const auto found = propose(frame_of(p, two_gpus()), p, limits);
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->recipe.tiles, (TaskTiles{300, 300, 300}));
    for (const Tile& tile : found->plan.tiles) EXPECT_LE(std::max(tile.rows, tile.cols), 300);
}

TEST(Propose, more_steps_are_never_slower) {
    const Problem p = square(4000);
    const Machine machine = load_machine("hgx-a100-8");
    double before = 1e9;
    for (const double steps : {1.0, 3e3, 3e4}) {
        ProposalLimits limits;
        limits.steps = steps;
        const double seconds = propose(frame_of(p, machine), p, limits)->plan.prediction.seconds;
        EXPECT_LE(seconds, before);
        before = seconds;
    }
}

TEST(Propose, work_is_counted_and_kept_to) {
    const Problem p = square(9000);
    const Plan frame = frame_of(p, load_machine("hgx-a100-8"));
    for (const double steps : {300.0, 2000.0}) {
        ProposalLimits limits;
        limits.steps = steps;
        limits.at_least = false;
        double made = 0;
        propose(frame, p, limits, &made);
        EXPECT_GT(made, 0);
        EXPECT_LE(made, 1.05 * steps + 20);  // a trial is given up when the next step ends
    }
}

TEST(Propose, what_takes_too_long_is_no_plan) {
    const Problem p = square(4000);
    const Plan frame = frame_of(p, load_machine("hgx-a100-8"));
    const double seconds = propose(frame, p, {})->plan.prediction.seconds;
    ProposalLimits limits;
    limits.seconds = seconds / 2;
    EXPECT_FALSE(propose(frame, p, limits).has_value());
    limits.seconds = 2 * seconds;
    EXPECT_TRUE(propose(frame, p, limits).has_value());
}

TEST(Propose, no_room_is_no_plan) {
    const Problem p = square(1000);
    Plan frame = frame_of(p, two_gpus());
    frame.limit[1] = frame.limit[2] = 100;
    EXPECT_FALSE(propose(frame, p, {}).has_value());
}

TEST(Propose, a_plan_tells_how_it_was_made) {
    const Problem p = square(3000);
    const Machine machine = load_machine("everest");
    const auto found = propose(frame_of(p, machine), p, {});
    ASSERT_TRUE(found.has_value());
    const Recipe recipe = recipe_of(found->plan, p);
    EXPECT_EQ(fitted(p, recipe.tiles), recipe.tiles);
    EXPECT_EQ(recipe.tiles, found->recipe.tiles);
    EXPECT_EQ(recipe.devices, found->recipe.devices);
    const Plan again = schedule_on_clock(frame_of(found->plan, recipe), tasks_of(p, recipe.tiles),
                                         found->recipe.options);
    EXPECT_EQ(again.prediction.seconds, found->plan.prediction.seconds);
}

TEST(Propose, odd_sizes_are_padded_where_kernels_mind) {
    const Problem p = square(4001);
    const Machine one = synthetic_machine("gpu:1(mem=8GB,d=1T)");
    const auto padded = propose(frame_of(p, with_grain(one, 8, 0.5)), p, {});
    const auto plain = propose(frame_of(p, one), p, {});
    ASSERT_TRUE(padded && plain);
    EXPECT_EQ(padded->plan.grain, 8);
    EXPECT_EQ(recipe_of(padded->plan, p).grain, 8);
    EXPECT_EQ(plain->plan.grain, 1) << "nobody minds";
    EXPECT_LT(padded->plan.prediction.seconds, 1.02 * plain->plan.prediction.seconds);
    const Recipe recipe = recipe_of(padded->plan, p);
    const Plan again = schedule_on_clock(frame_of(padded->plan, recipe), tasks_of(p, recipe.tiles),
                                         padded->recipe.options);
    EXPECT_EQ(again.prediction.seconds, padded->plan.prediction.seconds);
}

TEST(Propose, a_plan_of_a_rank_update_tells_the_size_of_its_panels) {
    Problem p = square(8000);
    p.routine = Routine::syrk;
    const Plan frame = frame_of(p, synthetic_machine("gpu:1(mem=8GB,d=1T)"));
    for (const Uplo uplo : {Uplo::Lower, Uplo::Upper})
        for (const TaskTiles& tiles : {TaskTiles{1000, 1000, 2000},
                                       {2000, 1000, 2000},
                                       {4000, 500, 1000},
                                       {8000, 800, 500}}) {
            p.uplo = uplo;
            const Plan plan = schedule_on_clock(frame_of(p, frame.machine), tasks_of(p, tiles), {});
            EXPECT_EQ(recipe_of(plan, p).tiles, tiles) << tiles.rows;
        }
}

TEST(Propose, rank_updates_and_solves_of_eight_gpus_are_near_their_bound_with_few_steps) {
    Problem p = square(16'384);
    p.beta = Factor::general;
    for (const auto& [routine, most] : {std::pair(Routine::syrk, 1.3), {Routine::trsm, 1.4}}) {
        p.routine = routine;
        const auto found =
            propose(frame_of(p, load_machine("hgx-a100-8")), p, ProposalLimits{.steps = 2000});
        ASSERT_TRUE(found);
        EXPECT_TRUE(found->recipe.tiles.together);
        const Prediction& prediction = found->plan.prediction;
        EXPECT_LT(prediction.seconds, most * prediction.bound_seconds);
    }
}

TEST(Propose, a_plan_tells_whether_all_that_meets_a_part_of_k_comes_at_once) {
    Problem p = square(4000);
    const Machine machine = synthetic_machine("gpu:4(mem=8GB,d=1T) nvswitch:100GB/s");
    for (const Routine routine : {Routine::syrk, Routine::trsm})
        for (const bool together : {false, true}) {
            p.routine = routine;
            const TaskTiles tiles{500, 500, 500, 0, together};
            const Plan plan = schedule_on_clock(frame_of(p, machine), tasks_of(p, tiles), {});
            EXPECT_EQ(recipe_of(plan, p).tiles, tiles);
        }
    p.routine = Routine::syrk;
    const TaskTiles tall{2000, 500, 1000, 0, true};
    const Plan plan = schedule_on_clock(frame_of(p, machine), tasks_of(p, tall), {});
    EXPECT_EQ(recipe_of(plan, p).tiles, tall);
}

}  // namespace
}  // namespace gemmill::test
