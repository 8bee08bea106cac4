// SPDX-License-Identifier: Apache-2.0
#include "schedule/queue/strip.hpp"

#include <gtest/gtest.h>

#include "support/schedule_case.hpp"
#include "task/problem.hpp"

namespace gemmill::test {
namespace {

Problem product(index_t m, index_t n) {
    Problem p;
    p.m = m, p.n = n, p.k = 1000;
    return p;
}

TEST(Strip, has_its_part_and_leaves_even_tiles) {
    const TaskTiles t = with_strip(product(16384, 16384), {4096, 4096, 4096}, 0.03);
    EXPECT_GT(t.strip, 0.02 * 16384);
    EXPECT_LE(t.strip, 0.03 * 16384);
    EXPECT_EQ(t.cols * 4 + t.strip, 16384);
    EXPECT_EQ(t.cols % 16, 0);
    EXPECT_EQ(t.rows, 4096);
}

TEST(Strip, of_rows_where_there_are_more_and_of_both_sides_of_a_triangle) {
    EXPECT_EQ(with_strip(product(16384, 1000), {4096, 500, 1000}, 0.25).rows, 4096);
    EXPECT_EQ(with_strip(product(16384, 1000), {4096, 500, 1000}, 0.25).strip, 4096);
    Problem p = product(16384, 16384);
    p.routine = Routine::syrk;
    const TaskTiles t = with_strip(p, {4096, 4096, 4096}, 0.75);
    EXPECT_NEAR(static_cast<double>(t.strip), 8192, 32);
}

TEST(Strip, small_tiles_stay_as_they_are) {
    const TaskTiles t = with_strip(product(40960, 40960), {4096, 4096, 1024}, 0.23);
    EXPECT_EQ(t, (TaskTiles{4096, 4096, 1000, 8192})) << "two columns of tiles, not two and a half";
}

TEST(Strip, none_where_the_part_is_too_small_and_a_thin_one_is_not_too_thin) {
    const TaskTiles tiles{4096, 4096, 1000};
    EXPECT_EQ(with_strip(product(16384, 16384), tiles, 0), tiles);
    EXPECT_EQ(with_strip(product(16384, 16384), tiles, 0.0005).strip, 0);
    EXPECT_EQ(with_strip(product(16384, 16384), tiles, 0.002).strip, 64);
}

TEST(Strip, tiles_that_a_strip_made_smaller_become_whole_again) {
    const Problem p = product(16384, 16384);
    const TaskTiles t = with_strip(p, {4096, 4096, 4096}, 0.1);
    EXPECT_EQ(with_strip(p, {t.rows, t.cols, t.depth}, 0), (TaskTiles{4096, 4096, 1000}));
}

TEST(Strip, routines_whose_lines_depend_on_each_other_have_none) {
    for (const Routine routine : {Routine::trsm, Routine::trmm, Routine::symm, Routine::syr2k}) {
        Problem p = product(4096, 4096);
        p.routine = routine, p.k = 4096;
        EXPECT_EQ(with_strip(p, {1024, 1024, 1024}, 0.25).strip, 0);
        EXPECT_EQ(tasks_of(p, {1024, 1024, 1024, 512}).strip, -1);
    }
}

}  // namespace
}  // namespace gemmill::test
