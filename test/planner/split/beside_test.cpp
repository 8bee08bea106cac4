// SPDX-License-Identifier: Apache-2.0
#include "planner/split/beside.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <ranges>

#include "plan/access.hpp"
#include "support/level3_case.hpp"
#include "task/describe.hpp"
#include "task/problem.hpp"

namespace gemmill::test {
namespace {

Machine one_gpu_and_cpu() {
    return parse_machine(
        "machine small\n"
        "memory host kind=host size=1GB\n"
        "memory gpu0 size=1GB\n"
        "device gpu0 memory=gpu0 bandwidth=1TB/s d=3T s=3T c=3T z=3T\n"
        "device cpu memory=host bandwidth=1TB/s d=1T s=1T c=1T z=1T\n"
        "link host -> gpu0 bandwidth=10GB/s\n"
        "link gpu0 -> host bandwidth=10GB/s\n");
}

Problem square(Routine routine, index_t n) {
    Problem p;
    p.routine = routine;
    p.m = p.n = p.k = n;
    p.alpha = p.beta = Factor::general;
    return p;
}

double flops_of_rest(const Problem& p, const Beside& beside) {
    return flops_of(rest_of(p, beside)) / flops_of(p);
}

TEST(Beside, lines_are_a_part_of_the_flops_and_leave_whole_blocks) {
    for (const Routine routine : {Routine::gemm, Routine::syrk, Routine::symm, Routine::trsm}) {
        const Problem p = square(routine, 10000);
        const Beside beside = cut_off(p, 1, 0.25, 128);
        EXPECT_EQ((10000 - beside.lines) % 128, 0);
        EXPECT_GE(flops_of_rest(p, beside), 0.75);
        EXPECT_LT(flops_of_rest(p, beside), 0.77);
    }
    EXPECT_EQ(cut_off(square(Routine::gemm, 100), 1, 0.25, 128).lines, 0);
}

TEST(Beside, rows_are_cut_off_where_columns_cannot_be_or_are_fewer) {
    Problem p = square(Routine::gemm, 100);
    EXPECT_EQ(rest_of(p, {1, 30}).n, 70);
    p.m = 200;
    EXPECT_EQ(rest_of(p, {1, 30}).m, 170);
    EXPECT_EQ(rest_of(p, {1, 30}).n, 100);
    Problem right = square(Routine::trmm, 100);
    right.side = Side::Right;
    EXPECT_EQ(rest_of(right, {1, 30}).m, 70);
    EXPECT_EQ(rest_of(right, {1, 30}).n, 100);
    const Problem update = rest_of(square(Routine::herk, 100), {1, 30});
    EXPECT_EQ(update.m, 70);
    EXPECT_EQ(update.n, 70);
    EXPECT_EQ(update.k, 100);
}

TEST(Beside, what_takes_two_kernels_or_no_product_is_not_cut) {
    EXPECT_TRUE(can_cut_off(square(Routine::gemmt, 10)));
    EXPECT_FALSE(can_cut_off(square(Routine::syr2k, 10)));
    Problem p = square(Routine::gemm, 10);
    p.alpha = Factor::zero;
    EXPECT_FALSE(can_cut_off(p));
}

/// The rest as one kernel, so that the plan needs nothing but the CPU's steps to be whole.
TEST(Beside, steps_of_the_cpu_make_what_the_rest_lacks) {
    Random random(7);
    int plans = 0;
    for (int i = 0; i < 400; ++i) {
        const Routine routine = random.chance(20) ? Routine::gemm : random.pick(level3_routines);
        Problem p = random_level3(random, routine, 30);
        if (routine == Routine::gemm) p.m = random.between(1, 30), p.k = random.between(1, 30);
        p.home = {0, 0, 0};
        const index_t lines = count_lines(p);
        if (!can_cut_off(p) || lines < 2) continue;
        Draft plan;
        plan.machine = one_gpu_and_cpu();
        plan.devices = {0};
        plan.slab = plan.limit = {0, 0};
        const Beside upper{1, random.between(1, lines - 1)};
        const Problem rest = rest_of(p, upper);
        add_beside(plan, rest, {1, count_lines(rest)});
        add_beside(plan, p, upper);
        ASSERT_TRUE(validate(plan).empty()) << validate(plan).front() << "\n" << describe(p);
        const auto of = [&](const Tile& t) { return std::ranges::count(plan.tiles, t); };
        ASSERT_EQ(std::ranges::max(plan.tiles | std::views::transform(of)), 1) << describe(p);
        ++plans;
    }
    EXPECT_GT(plans, 150);
}

}  // namespace
}  // namespace gemmill::test
