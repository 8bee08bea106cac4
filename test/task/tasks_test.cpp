// SPDX-License-Identifier: Apache-2.0
// Tasks done one after the other, in any order that they allow, by plain loops make the whole
// routine.
#include "task/tasks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "gemmill/error.hpp"
#include "plan/build/steps.hpp"
#include "support/any_order.hpp"
#include "support/goal_case.hpp"
#include "support/level3_case.hpp"
#include "support/plan_case.hpp"

namespace gemmill::test {
namespace {

/// All operands at home in one memory, and a place for one target.
class OneByOne {
  public:
    OneByOne(const Tasks& tasks, Random& random) : tasks_(tasks), random_(random) {
        plan_.machine = synthetic_machine("gpu:1(mem=1MB,d=1T)");
        plan_.devices = {0};
        plan_.operands = tasks.operands;
        plan_.goal = tasks.goal;
        plan_.tiles = tasks.tiles;
        plan_.slab = plan_.limit = {0, 1 << 16};
        for (const Tasks::Task& task : tasks.tasks)
            plan_.buffers.push_back({1, task.target, 0, 1 << 16,
                                     tasks.tiles[static_cast<std::size_t>(task.target)].rows, 0,
                                     0});
    }

    ::testing::AssertionResult right() {
        GoalCase x(plan_, random_);
        const NanSlabs slabs(plan_);
        const Binding binding = x.binding();
        const auto count = static_cast<TaskId>(tasks_.tasks.size());
        std::vector<TaskId> left;
        for (TaskId t = 0; t < count; ++t) left.push_back(t);
        while (!left.empty()) {
            const auto free = [&](TaskId t) { return is_free(t); };
            const auto begin = left.begin() + random_.below(std::ssize(left));
            auto next = std::find_if(begin, left.end(), free);
            if (next == left.end()) next = std::find_if(left.begin(), left.end(), free);
            if (next == left.end())
                return ::testing::AssertionFailure() << "tasks wait for each other";
            perform_task(*next, binding, slabs);
            left.erase(next);
        }
        return x.check();
    }

  private:
    bool is_free(TaskId t) const {
        const Tasks::Task& task = tasks_.tasks[static_cast<std::size_t>(t)];
        const auto done = [&](TaskId other) { return done_.contains(other); };
        return std::ranges::all_of(others_in(tasks_, task.after), done) &&
               std::ranges::all_of(others_in(tasks_, task.readers), done);
    }

    void perform_task(TaskId t, const Binding& binding, const NanSlabs& slabs) {
        const Tasks::Task& task = tasks_.tasks[static_cast<std::size_t>(t)];
        const Ref here{task.target, t}, home{task.target, Ref::home};
        const auto run = [&](const Step& step) {
            perform(make_task(plan_, step, binding, slabs.begins()), reference_kernels());
        };
        if (reads_out(terms_of(tasks_, task).front()))
            run(move_step(plan_, Opcode::fetch, home, here));
        for (Step step : terms_of(tasks_, task)) {
            step.out = here;
            run(step);
        }
        run(move_step(plan_, Opcode::write, here, home));
        done_.insert(t);
    }

    const Tasks& tasks_;
    Random& random_;
    Plan plan_;
    std::set<TaskId> done_;
};

Problem any_problem(Random& random) {
    const Routine routine = random.chance(15) ? Routine::gemm : random.pick(level3_routines);
    Problem p = routine == Routine::gemm ? random_problem(random, two_gpus(), 12)
                                         : random_level3(random, routine, 12);
    p.home = {1, 1, 1};
    return p;
}

TaskTiles any_tiles(Random& random) {
    return {random.between(1, 13), random.between(1, 13), random.between(1, 13), 0,
            random.chance(50)};
}

TEST(Tasks, make_the_routine_in_any_order) {
    Random random(1);
    for (int i = 0; i < affordable(4000) && !HasFailure(); ++i) {
        const Problem p = any_problem(random);
        const TaskTiles tiles = any_tiles(random);
        const Tasks tasks = tasks_of(p, tiles);
        EXPECT_TRUE(OneByOne(tasks, random).right())
            << describe(p) << fmt::format(" tiles {} {} {}", tiles.rows, tiles.cols, tiles.depth);
    }
}

TEST(Tasks, have_terms_and_targets_that_cover_the_result_once) {
    Random random(2);
    for (int i = 0; i < affordable(1000) && !HasFailure(); ++i) {
        const Problem p = any_problem(random);
        const Tasks tasks = tasks_of(p, any_tiles(random));
        std::set<TileId> targets;
        for (const Tasks::Task& task : tasks.tasks) {
            EXPECT_GE(task.terms.count, 1);
            EXPECT_TRUE(targets.insert(task.target).second);
            for (const Step& step : terms_of(tasks, task)) EXPECT_EQ(step.out.tile, task.target);
        }
        index_t made = 0;
        for (const TileId t : targets) {
            const Tile& tile = tasks.tiles[static_cast<std::size_t>(t)];
            made += tile.rows * tile.cols;
        }
        if (writes_triangle(p.routine)) continue;
        EXPECT_EQ(made, p.m * p.n) << describe(p);
    }
}

TEST(Tasks, of_trsm_and_trmm_name_whom_they_wait_for) {
    Problem p;
    p.routine = Routine::trsm;
    p.m = p.k = 9, p.n = 4;
    const Tasks solve = tasks_of(p, {3, 2, 3});
    ASSERT_EQ(solve.tasks.size(), 6u);
    EXPECT_EQ(solve.tasks[5].after.count, 2);
    EXPECT_EQ(solve.tasks[5].readers.count, 0);
    EXPECT_EQ(others_in(solve, solve.tasks[5].after)[0], 3);
    p.routine = Routine::trmm;
    const Tasks multiply = tasks_of(p, {3, 2, 3});
    EXPECT_EQ(multiply.tasks[3].readers.count, 2);
    EXPECT_EQ(multiply.tasks[5].readers.count, 0);
    EXPECT_EQ(multiply.tasks[5].after.count, 0);
}

TEST(Tasks, sizes_are_fitted_to_the_problem) {
    Problem p;
    p.m = 100, p.n = 50, p.k = 10;
    EXPECT_EQ(fitted(p, {64, 64, 64}), (TaskTiles{64, 50, 10}));
    p.routine = Routine::symm;
    p.side = Side::Right;
    p.k = 50;
    EXPECT_EQ(fitted(p, {64, 32, 7}), (TaskTiles{64, 32, 32}));
    p.routine = Routine::syrk;
    p.m = 50;
    EXPECT_EQ(fitted(p, {16, 32, 7}), (TaskTiles{16, 16, 7}));
    EXPECT_EQ(fitted(p, {25, 8, 7}), (TaskTiles{24, 8, 7})) << "whole columns";
    EXPECT_EQ(fitted(p, {49, 8, 7}), (TaskTiles{50, 8, 7})) << "or all rows";
}

TEST(Tasks, targets_of_a_rank_update_may_be_taller_than_wide) {
    Problem p;
    p.routine = Routine::syrk;
    p.m = p.n = 50, p.k = 10;
    for (const Uplo uplo : {Uplo::Lower, Uplo::Upper}) {
        p.uplo = uplo;
        const Tasks tasks = tasks_of(p, {24, 8, 5});
        index_t elements = 0;
        std::set<std::pair<index_t, index_t>> places;
        for (const Tasks::Task& task : tasks.tasks) {
            const Tile& t = tasks.tiles[static_cast<std::size_t>(task.target)];
            const bool square = t.row == t.col;
            elements += square ? t.rows * (t.rows + 1) / 2 : t.rows * t.cols;
            EXPECT_LE(t.rows, square ? 8 : 24);
            EXPECT_TRUE(places.emplace(task.row, task.col).second) << "a place for each";
        }
        EXPECT_EQ(elements, 50 * 51 / 2);
        for (const Step& term : tasks.terms)
            EXPECT_EQ(tasks.tiles[static_cast<std::size_t>(whole_of(tasks, term.in[0]))].row % 24,
                      0);
    }
}

TEST(Tasks, all_that_meets_a_part_of_k_may_come_at_once) {
    const auto reads = [](const Problem& p, index_t k) {
        const Tasks tasks = tasks_of(p, {8, 4, 8, 0, true});
        std::set<std::pair<index_t, index_t>> rows;  // first and number, of what comes of part k
        for (const Step& term : tasks.terms)
            for (const Ref& in : term.in) {
                if (in.tile < 0) continue;
                const Tile& whole = tasks.tiles[static_cast<std::size_t>(whole_of(tasks, in))];
                if (whole.operand == operand::A && whole.col == k)
                    rows.emplace(whole.row, whole.rows);
            }
        return rows;
    };
    using Rows = std::set<std::pair<index_t, index_t>>;
    Problem p;
    p.m = p.n = p.k = 24;
    p.routine = Routine::syrk;
    EXPECT_EQ(reads(p, 8), (Rows{{0, 24}})) << "all rows";
    p.routine = Routine::trsm;
    EXPECT_EQ(reads(p, 8), (Rows{{8, 16}})) << "from the diagonal on";
    p.uplo = Uplo::Upper;
    EXPECT_EQ(reads(p, 8), (Rows{{0, 16}})) << "or up to it";
    p.op_a = Op::Trans;
    EXPECT_FALSE(can_come_together(p)) << "these would be short columns";
    EXPECT_EQ(reads(p, 8), (Rows{{0, 8}, {8, 8}}));
    p.side = Side::Right;
    EXPECT_TRUE(can_come_together(p));
    p.routine = Routine::gemm;
    EXPECT_FALSE(can_come_together(p));
}

TEST(Tasks, too_many_are_refused) {
    Problem p;
    p.m = p.n = p.k = 100'000;
    EXPECT_THROW(tasks_of(p, {10, 10, 10}), Error);
}

TEST(Tasks, are_counted_before_they_are_listed) {
    Random random(3);
    for (int i = 0; i < affordable(500); ++i) {
        const Problem p = any_problem(random);
        const TaskTiles tiles = any_tiles(random);
        const auto listed = static_cast<double>(tasks_of(p, tiles).terms.size());
        EXPECT_LE(listed, 2 * count_terms(p, tiles) + 1) << describe(p);
        EXPECT_GE(3 * listed + 1, count_terms(p, tiles)) << describe(p);
    }
}

TEST(Tasks, a_strip_has_tiles_of_its_own) {
    Problem p;
    p.m = 30, p.n = 40, p.k = 10;
    const Tasks columns = tasks_of(p, {10, 10, 10, 12});
    EXPECT_EQ(columns.strip, 3) << "28 columns in three tiles, then 12 in two";
    EXPECT_FALSE(columns.strip_rows);
    EXPECT_EQ(columns.tasks.size(), 3U * 5U);
    p.m = 50;
    EXPECT_TRUE(tasks_of(p, {10, 10, 10, 12}).strip_rows) << "where there are more rows";
    p.routine = Routine::syrk, p.n = p.m;
    for (const Uplo uplo : {Uplo::Lower, Uplo::Upper}) {
        p.uplo = uplo;
        const Tasks triangle = tasks_of(p, {10, 10, 10, 15});
        EXPECT_EQ(triangle.strip_rows, uplo == Uplo::Lower);
        EXPECT_EQ(triangle.strip, 4);
        EXPECT_EQ(triangle.tasks.size(), 21U) << "six tiles along both sides";
    }
    EXPECT_EQ(tasks_of(p, {10, 10, 10}).strip, -1);
}

}  // namespace
}  // namespace gemmill::test
