// SPDX-License-Identifier: Apache-2.0
#include "api/plans/plan_cache.hpp"

#include <gtest/gtest.h>

namespace gemmill {
namespace {

PlanCache::Entry plan_of(std::size_t steps) {
    Plan plan;
    plan.steps.resize(steps);
    return std::make_shared<const Plan>(std::move(plan));
}

Problem problem_of(index_t m) {
    Problem problem;
    problem.m = m;
    return problem;
}

TEST(PlanCacheBytes, are_limited_and_the_plan_used_longest_ago_goes) {
    constexpr std::size_t steps = 1000;
    const std::size_t each = memory_of(*plan_of(steps));
    EXPECT_GE(each, steps * sizeof(Step));
    PlanCache cache(100, 3 * each);
    for (index_t m = 1; m <= 3; ++m) cache.put(problem_of(m), plan_of(steps));
    EXPECT_EQ(cache.size(), 3U);
    EXPECT_NE(cache.find(problem_of(1)), nullptr);
    cache.put(problem_of(4), plan_of(steps));
    EXPECT_EQ(cache.size(), 3U);
    EXPECT_EQ(cache.find(problem_of(2)), nullptr);
    EXPECT_NE(cache.find(problem_of(1)), nullptr);
    EXPECT_NE(cache.find(problem_of(4)), nullptr);
}

TEST(PlanCacheBytes, of_a_plan_that_is_replaced_are_free_again) {
    const std::size_t each = memory_of(*plan_of(1000));
    PlanCache cache(100, 2 * each);
    for (int i = 0; i < 10; ++i) cache.put(problem_of(1), plan_of(1000));
    cache.put(problem_of(2), plan_of(1000));
    EXPECT_EQ(cache.size(), 2U);
}

TEST(PlanCacheBytes, a_plan_beyond_the_limit_is_kept_alone) {
    PlanCache cache(100, 1000);
    cache.put(problem_of(1), plan_of(1));
    cache.put(problem_of(2), plan_of(1000));
    EXPECT_EQ(cache.size(), 1U);
    EXPECT_NE(cache.find(problem_of(2)), nullptr);
}

/// Calls in seconds.
void note_all(PlanCache& cache, const PlanCache::Entry& plan, std::initializer_list<double> calls) {
    for (const double seconds : calls) cache.note(problem_of(1), *plan, seconds);
}

TEST(PlanCacheTrials, the_faster_of_two_plans_stays) {
    for (const bool faster : {true, false}) {
        const PlanCache::Entry old = plan_of(10), other = plan_of(20);
        PlanCache cache(100);
        cache.put(problem_of(1), old);
        EXPECT_EQ(cache.count(problem_of(1)), 1);
        EXPECT_EQ(cache.count(problem_of(1)), 2);
        note_all(cache, old, {9, 2, 5});
        cache.try_out(problem_of(1), other);
        EXPECT_GT(cache.count(problem_of(1)), never_counted);
        const double best = faster ? 1.9 : 2.1;
        note_all(cache, old, {0.1, 0.1});  // calls that began before
        note_all(cache, other, {7, 7, 7, 7, 7, best, 7});
        EXPECT_EQ(cache.find(problem_of(1)), other) << "still on trial";
        note_all(cache, other, {7});
        EXPECT_EQ(cache.find(problem_of(1)), faster ? other : old);
        note_all(cache, other, {0.1});
        EXPECT_EQ(cache.find(problem_of(1)), faster ? other : old);
    }
}

TEST(PlanCacheTrials, both_plans_count_while_there_are_two) {
    const std::size_t each = memory_of(*plan_of(1000));
    PlanCache cache(100, 3 * each);
    cache.put(problem_of(1), plan_of(1000));
    const PlanCache::Entry other = plan_of(1000);
    cache.try_out(problem_of(1), other);
    cache.put(problem_of(2), plan_of(1000));
    EXPECT_EQ(cache.size(), 2U);
    cache.put(problem_of(3), plan_of(1000));
    EXPECT_EQ(cache.size(), 2U) << "the first one goes with both its plans";
    cache.put(problem_of(4), plan_of(1000));
    EXPECT_EQ(cache.size(), 3U);
    cache.try_out(problem_of(1), other);
    EXPECT_EQ(cache.find(problem_of(1)), nullptr) << "what is gone is not tried";
}

}  // namespace
}  // namespace gemmill
