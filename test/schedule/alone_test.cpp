// SPDX-License-Identifier: Apache-2.0
// What a device that is alone does with its memory, its links and its time.
#include <gtest/gtest.h>

#include <set>

#include "schedule/schedule.hpp"
#include "support/schedule_case.hpp"

namespace gemmill::test {
namespace {

constexpr std::int64_t mega = 1 << 20;

struct Alone {
    explicit Alone(Routine routine = Routine::gemm) {
        p.routine = routine;
        p.m = p.n = p.k = 2048;
        p.beta = Factor::general;
    }
    /// With a link within its memory.
    Plan plan(const TaskTiles& tiles, std::int64_t limit) const {
        Plan frame = frame_of(p, load_machine("h200"));
        for (std::int64_t& bytes : frame.limit) bytes = std::min(bytes, limit);
        frame.limit[0] = frame.machine.memories[0].capacity;
        Plan made = schedule_on_clock(frame, tasks_of(p, tiles), {});
        EXPECT_THAT(validate(made), ::testing::IsEmpty());
        return made;
    }
    std::int64_t read(const Plan& plan, OperandId operand) const {
        return statistics(plan).read[static_cast<std::size_t>(operand)];
    }

    Problem p;
    const std::int64_t matrix = 2048 * 2048 * 8;
};

TEST(Alone, what_all_columns_read_stays_and_comes_once) {
    const Alone x;  // A of 32 MiB, columns of B and C of 4 MiB
    const Plan plan = x.plan({2048, 256, 256}, 60 * mega);
    EXPECT_EQ(x.read(plan, 0), x.matrix);
    EXPECT_EQ(x.read(plan, 1), x.matrix);
}

TEST(Alone, what_all_rows_read_stays_and_comes_once) {
    const Alone x;
    const Plan plan = x.plan({128, 2048, 512}, 60 * mega);
    EXPECT_EQ(x.read(plan, 0), x.matrix);
    EXPECT_EQ(x.read(plan, 1), x.matrix);
}

/// Of 8 x 8 targets of half a MiB about 20 are made together, so that each input comes twice or
/// three times; with a third of the room for sums, and each at its own pace, it was eight times.
TEST(Alone, blocks_of_targets_are_made_together) {
    Alone x;
    x.p.k = 16'384;
    const Plan plan = x.plan({256, 256, 256}, 16 * mega);
    const std::int64_t operand = 2048 * x.p.k * 8;
    EXPECT_LE(x.read(plan, 0) + x.read(plan, 1), 6 * operand);
}

/// Queues of products, and of additions of old values.
std::pair<std::set<QueueId>, std::set<QueueId>> queues_of(const Plan& plan) {
    std::set<QueueId> products, adds;
    for (const Step& step : plan.steps) {
        if (step.op == Opcode::gemm) products.insert(step.queue);
        if (step.op == Opcode::add) adds.insert(step.queue);
    }
    return {products, adds};
}

TEST(Alone, kernels_that_fill_the_device_are_in_one_queue_and_old_values_in_another) {
    Alone x;
    x.p.m = x.p.n = x.p.k = 16'384;
    const Plan plan = x.plan({4096, 4096, 4096}, 100'000 * mega);
    const auto [products, adds] = queues_of(plan);
    EXPECT_EQ(products.size(), 1U);
    ASSERT_EQ(adds.size(), 1U);
    EXPECT_FALSE(plan.queues[static_cast<std::size_t>(*products.begin())].urgent);
    EXPECT_TRUE(plan.queues[static_cast<std::size_t>(*adds.begin())].urgent);
}

/// None of which goes before another: products of one that waits for all others end last.
TEST(Alone, small_kernels_are_in_several_queues_that_are_alike) {
    const Alone x;
    const Plan plan = x.plan({256, 256, 256}, 100'000 * mega);
    const auto products = queues_of(plan).first;
    EXPECT_GT(products.size(), 1U);
    for (const QueueId q : products) EXPECT_FALSE(plan.queues[static_cast<std::size_t>(q)].urgent);
}

TEST(Alone, chains_of_a_solve_are_made_some_at_a_time) {
    Alone x(Routine::trsm);
    x.p.alpha = Factor::general;
    x.p.n = 16'384;
    const Plan plan = x.plan({512, 1024, 512}, 100 * mega);  // a chain is 16 MiB
    EXPECT_EQ(x.read(plan, 2), 2048 * x.p.n * 8) << "no new tile comes back";
}

TEST(Alone, chains_of_a_product_in_place_are_written_one_by_one) {
    Alone x(Routine::trmm);
    x.p.n = 8192;
    const Plan plan = x.plan({512, 1024, 512}, 1000 * mega);
    EXPECT_EQ(x.read(plan, 2), 2048 * x.p.n * 8) << "what is there is copied";
    const Timeline timeline = simulate(plan);
    double first_write = plan.prediction.seconds;
    for (std::size_t i = 0; i < plan.steps.size(); ++i)
        if (plan.steps[i].op == Opcode::write)
            first_write = std::min(first_write, timeline[i].begin);
    EXPECT_LT(first_write, 0.4 * plan.prediction.seconds);
}

TEST(Alone, panels_of_a_rank_update_come_whole_and_are_read_in_parts) {
    const Alone x(Routine::syrk);
    const Plan plan = x.plan({2048, 256, 512}, 1000 * mega);
    EXPECT_EQ(x.read(plan, 0), x.matrix);
    int panels = 0;
    for (const Step& step : plan.steps) {
        const Tile& tile = tile_of(plan, step.out);
        if (step.op != Opcode::fetch || tile.operand != 0) continue;
        ++panels;
        EXPECT_EQ(tile.rows, 2048);
    }
    EXPECT_EQ(panels, 4);
}

TEST(Alone, half_stored_squares_are_filled_up_once) {
    const Alone x(Routine::symm);
    const Plan plan = x.plan({512, 256, 512}, 1000 * mega);
    const auto count = [&](Opcode op) { return std::ranges::count(plan.steps, op, &Step::op); };
    EXPECT_EQ(count(Opcode::mirror), 4);
    EXPECT_EQ(count(Opcode::symm), 0);
}

/// While a slow link brings A, all targets take part of what is there, however few begin at once.
TEST(Alone, more_tasks_begin_while_tiles_come) {
    Alone x;
    x.p.home = {0, 1, 1};
    Plan frame = frame_of(x.p, synthetic_machine("gpu:1(mem=1GB,d=1T) pcie:1GB/s"));
    const Tasks tasks = tasks_of(x.p, {2048, 128, 256});
    ScheduleOptions few, many;
    few.active = 2, many.active = 16;
    EXPECT_LT(schedule_on_clock(frame, tasks, few).prediction.seconds,
              1.02 * schedule_on_clock(frame, tasks, many).prediction.seconds);
}

}  // namespace
}  // namespace gemmill::test
