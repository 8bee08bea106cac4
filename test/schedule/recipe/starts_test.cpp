// SPDX-License-Identifier: Apache-2.0
#include "schedule/recipe/starts.hpp"

#include <gtest/gtest.h>

#include "schedule/schedule.hpp"
#include "support/picky.hpp"
#include "support/schedule_case.hpp"

namespace gemmill::test {
namespace {

Problem square(index_t n) {
    Problem p;
    p.m = p.n = p.k = n;
    p.beta = Factor::general;
    return p;
}

TEST(Starts, take_no_more_steps_than_there_are) {
    const Problem p = square(16'384);
    const Plan frame = frame_of(p, load_machine("hgx-a100-8"));
    for (const double steps : {500.0, 5000.0}) {
        const auto starts = likely_starts(frame, p, {}, steps);
        ASSERT_FALSE(starts.empty());
        for (const Recipe& recipe : starts) {
            Plan some = frame;
            some.devices = recipe.devices;
            EXPECT_LE(steps_of(Guess(some, p, {}), p, recipe.tiles), steps);
        }
        for (const Recipe& recipe : likely_starts(frame, p, {}, steps, true))
            EXPECT_LE(least_steps(p, recipe.tiles), steps);
    }
}

/// Within a factor of 2.5, either way: on eight devices tiles come in pieces to many.
TEST(Starts, steps_are_known_before) {
    for (const char* const name : {"hgx-a100-8", "h200", "everest"})
        for (const index_t edge : {1024, 2048, 4096}) {
            const Problem p = square(12'000);
            const Plan frame = frame_of(p, load_machine(name));
            const TaskTiles tiles{edge, edge, edge};
            const auto made =
                static_cast<double>(schedule_on_clock(frame, tasks_of(p, tiles), {}).steps.size());
            const double known = steps_of(Guess(frame, p, {}), p, tiles);
            EXPECT_LT(known, 2.5 * made) << name << " " << edge;
            EXPECT_LT(made, 2.5 * known) << name << " " << edge;
        }
}

TEST(Starts, half_of_the_tasks_of_a_device_at_once) {
    const Problem p = square(16'384);
    EXPECT_EQ(active_with(p, {4096, 4096, 1024}, 1), 8);
    EXPECT_EQ(active_with(p, {4096, 4096, 1024}, 2), 4);
    EXPECT_EQ(active_with(p, {1024, 1024, 1024}, 1), 8) << "not more";
    EXPECT_EQ(active_with(p, {16'384, 16'384, 1024}, 1), 4) << "not less";
}

TEST(Starts, all_that_meets_a_part_of_k_comes_at_once_to_devices_that_pass_it_on) {
    Problem p = square(16'384);
    p.routine = Routine::trsm;
    const auto together = [&](const Plan& frame) {
        return likely_starts(frame, p, {}, 1e5).front().tiles.together;
    };
    const Machine machine = load_machine("hgx-a100-8");
    EXPECT_TRUE(together(frame_of(p, machine)));
    Plan little = frame_of(p, machine);
    for (std::int64_t& limit : little.limit) limit = 1 << 30;
    EXPECT_FALSE(together(little)) << "it would come more than once";
    EXPECT_FALSE(together(frame_of(p, synthetic_machine("gpu:4(mem=40GB,d=17T) pcie:20GB/s"))))
        << "each would read all of it from home";
    p.home[operand::A] = machine.devices.front().memory;
    EXPECT_FALSE(together(frame_of(p, machine))) << "it would leave over the links of one device";
}

TEST(Starts, fit_the_memory) {
    const Problem p = square(8192);
    Plan frame = frame_of(p, two_gpus());
    frame.limit[1] = 64 << 20;
    const auto starts = likely_starts(frame, p, {}, 1e6);
    ASSERT_FALSE(starts.empty());
    for (const Recipe& recipe : starts)
        EXPECT_LE(8 * recipe.tiles.rows * recipe.tiles.cols, frame.limit[1]);
}

TEST(Starts, small_problems_have_fewer_devices) {
    const Machine machine = load_machine("hgx-a100-8");
    Problem small = square(1000);
    const Problem large = square(16'384);
    small.home = {1, 1, 1};  // on the first GPU, so that others would have to fetch
    EXPECT_EQ(likely_starts(frame_of(small, machine), small, {}, 1e5).front().devices.size(), 1u);
    EXPECT_EQ(likely_starts(frame_of(large, machine), large, {}, 1e5).front().devices.size(), 8u);
}

TEST(Starts, a_cpu_beside_gpus_has_no_say_in_their_tiles) {
    const Machine machine = load_machine("loewe-node");
    const Problem p = square(16'384);
    const Plan both = frame_of(p, machine);
    Plan alone = both;
    alone.devices = {0};
    EXPECT_EQ(without_cpu(both), alone.devices);
    const auto with = likely_starts(both, p, {}, 1e4), without = likely_starts(alone, p, {}, 1e4);
    ASSERT_EQ(with.size(), without.size());
    for (std::size_t i = 0; i < with.size(); ++i) {
        EXPECT_EQ(with[i].tiles, without[i].tiles);
        EXPECT_EQ(with[i].options, without[i].options);
        EXPECT_EQ(with[i].devices, both.devices) << "but it takes part";
    }
    alone.devices = {1};
    EXPECT_EQ(without_cpu(alone), alone.devices) << "alone it is a device like any other";
}

TEST(Starts, parts_are_what_kernels_like) {
    EXPECT_EQ(part_of(1000, 3, 1), 334);
    EXPECT_EQ(part_of(1000, 3, 8), 336);
    const Machine picky = with_grain(two_gpus(), 8);
    Problem p;
    p.m = p.n = p.k = 5003;
    for (const Recipe& recipe : likely_starts(frame_of(p, picky), p, {}, 1e4))
        for (const index_t size : {recipe.tiles.rows, recipe.tiles.cols, recipe.tiles.depth})
            EXPECT_TRUE(size == 5003 || size % 8 == 0) << size;
}

}  // namespace
}  // namespace gemmill::test
