// SPDX-License-Identifier: Apache-2.0
#include "batch/choice/distances.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

using namespace gemmill;
using Step = DistanceLearner::Step;

namespace {

const void* const an_array[4] = {};

/// Four products of 2 x 3 x 5 by pointers.
Batch by_pointers() {
    Batch x;
    x.type = Type::d;
    x.count = 4;
    x.m = {2}, x.n = {3}, x.k = {5};
    x.a = {nullptr, 0, an_array, {2}};
    x.b = {nullptr, 0, an_array, {5}};
    x.c = {nullptr, 0, an_array, {2}};
    return x;
}
BatchDistances good() { return {{{4096, 80}, {8192, 128}, {16384, 48}}}; }

/// Calls in which nothing is heard of the device.
std::vector<Step> calls(DistanceLearner& learner, int count) {
    std::vector<Step> steps;
    for (int i = 0; i < count; ++i) steps.push_back(learner.next());
    return steps;
}
/// Calls until the device is to look, without that one.
int calls_to_look(DistanceLearner& learner) {
    int calls = 0;
    while (learner.next() != Step::look) ++calls;
    return calls;
}

}  // namespace

TEST(BatchDistances, become_strides_in_elements) {
    const Batch x = by_pointers();
    const auto strided = at_distances(x, good());
    ASSERT_TRUE(strided.has_value());
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(strided->a.data), 4096U);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(strided->b.data), 8192U);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(strided->c.data), 16384U);
    EXPECT_EQ(strided->a.stride, 10);
    EXPECT_EQ(strided->b.stride, 16);
    EXPECT_EQ(strided->c.stride, 6);
    for (const BatchMatrix* of : {&strided->a, &strided->b, &strided->c})
        EXPECT_EQ(of->array, nullptr);
    EXPECT_EQ(strided->a.ld.all, 2);
    EXPECT_EQ(strided->b.ld.all, 5);
    EXPECT_EQ(strided->count, 4);
}

TEST(BatchDistances, a_matrix_without_an_array_stays_as_it_is) {
    Batch x = by_pointers();
    const double b[64] = {};
    x.b = {b, 15, nullptr, {5}};
    BatchDistances d = good();
    d.each[1] = {};
    const auto strided = at_distances(x, d);
    ASSERT_TRUE(strided.has_value());
    EXPECT_EQ(strided->b.data, b);
    EXPECT_EQ(strided->b.stride, 15);
    EXPECT_EQ(strided->a.stride, 10);
}

TEST(BatchDistances, one_a_for_all_products_but_no_such_c) {
    const Batch x = by_pointers();
    BatchDistances d = good();
    d.each[0].apart = d.each[1].apart = 0;
    const auto strided = at_distances(x, d);
    ASSERT_TRUE(strided.has_value());
    EXPECT_EQ(strided->a.stride, 0);
    EXPECT_EQ(strided->b.stride, 0);
    d.each[2].apart = 0;
    EXPECT_FALSE(at_distances(x, d).has_value());
}

TEST(BatchDistances, what_no_strided_batch_has_is_left_to_pointers) {
    const Batch x = by_pointers();
    for (std::size_t i = 0; i < 3; ++i) {
        BatchDistances d = good();
        d.each[i].apart += 4;  // half an element
        EXPECT_FALSE(at_distances(x, d).has_value()) << i;
        d = good(), d.each[i].first += 4;
        EXPECT_FALSE(at_distances(x, d).has_value()) << i;
        d = good(), d.each[i].first = 0;
        EXPECT_FALSE(at_distances(x, d).has_value()) << i;
        d = good(), d.each[i].apart = -d.each[i].apart;
        EXPECT_FALSE(at_distances(x, d).has_value()) << i;
        d = good(), d.each[i].apart = std::numeric_limits<std::int64_t>::max() / 2 / 8 * 8;
        EXPECT_FALSE(at_distances(x, d).has_value()) << i;
        d = good(), d.each[i].first = ~std::uint64_t{7};
        EXPECT_FALSE(at_distances(x, d).has_value()) << i;
    }
}

TEST(BatchDistances, are_learned_of_batches_that_multiply_by_pointers) {
    Batch x = by_pointers();
    EXPECT_TRUE(may_have_distances(x));
    x.alpha.all = {0, 0};
    EXPECT_FALSE(may_have_distances(x));
    x = by_pointers(), x.k = {0};
    EXPECT_FALSE(may_have_distances(x));
    x = by_pointers(), x.count = 1;
    EXPECT_FALSE(may_have_distances(x));
    x = by_pointers(), x.a.array = x.b.array = nullptr;
    EXPECT_TRUE(may_have_distances(x));
    x.c.array = nullptr;
    EXPECT_FALSE(may_have_distances(x));
}

TEST(BatchDistances, are_worth_a_guess_in_batches_that_take_long) {
    EXPECT_FALSE(is_worth_a_guess(0));
    EXPECT_FALSE(is_worth_a_guess(50e-6));
    EXPECT_TRUE(is_worth_a_guess(150e-6));
    EXPECT_TRUE(is_worth_a_guess(std::numeric_limits<double>::infinity()));  // not known yet
}

TEST(DistanceLearner, the_first_call_looks_and_others_go_on_until_the_answer_comes) {
    DistanceLearner learner;
    EXPECT_EQ(calls(learner, 4),
              (std::vector{Step::look, Step::pointers, Step::pointers, Step::pointers}));
    EXPECT_TRUE(learner.is_asked());
    learner.answered(true);
    EXPECT_FALSE(learner.is_asked());
    EXPECT_TRUE(learner.is_known());
    EXPECT_EQ(calls(learner, 100), std::vector(100, Step::strides));
}

TEST(DistanceLearner, a_guess_that_was_refuted_is_given_up_and_learned_again) {
    DistanceLearner learner;
    calls_to_look(learner);
    learner.answered(true);
    calls(learner, 50);
    learner.refuted();
    EXPECT_FALSE(learner.is_known());
    EXPECT_EQ(calls_to_look(learner), DistanceLearner::first_pause - 1);
    learner.answered(true);
    EXPECT_EQ(learner.next(), Step::strides);
}

TEST(DistanceLearner, looks_less_and_less_often_where_there_is_nothing_to_find) {
    DistanceLearner learner;
    EXPECT_EQ(calls_to_look(learner), 0);
    int pause = DistanceLearner::first_pause;
    for (int i = 0; i < 20; ++i) {
        learner.answered(false);
        EXPECT_EQ(calls_to_look(learner), pause - 1);
        pause = std::min(2 * pause, DistanceLearner::longest_pause);
    }
}
