// SPDX-License-Identifier: Apache-2.0
#include "batch/split.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <numeric>

#include "support/random.hpp"

namespace gemmill::test {
namespace {

Batch of_sizes(const std::vector<index_t>& sizes) {
    Batch x;
    x.count = static_cast<index_t>(sizes.size());
    x.m = x.n = x.k = {0, sizes.data()};
    x.a.ld = x.b.ld = x.c.ld = {1, sizes.data()};
    x.beta.all = {1, 0};
    return x;
}

Batch of_one_size(index_t n, index_t count) {
    Batch x;
    x.count = count;
    x.m = x.n = x.k = {n};
    x.a.ld = x.b.ld = x.c.ld = {n};
    x.beta.all = {1, 0};
    return x;
}

TEST(Split, what_a_product_costs) {
    GemmArgs g;
    g.type = Type::z;
    g.m = 2, g.n = 3, g.k = 5;
    g.alpha = g.beta = {1, 0};
    EXPECT_EQ(cost_of(g).flops, 8 * 30);
    EXPECT_EQ(cost_of(g).in, 16 * (10 + 15 + 6));
    EXPECT_EQ(cost_of(g).out, 16 * 6);
    g.beta = {};
    EXPECT_EQ(cost_of(g).in, 16 * (10 + 15));
    g.alpha = {};
    EXPECT_EQ(cost_of(g).in, 0);
    EXPECT_EQ(cost_of(g).flops, 0);
    const BatchWorker slow_to_write{1e12, 1e12, 2};
    EXPECT_EQ(seconds_of(slow_to_write, of_one_size(1, 4)), 4 * 4);
}

TEST(Split, equals_get_equal_ranges) {
    const std::vector<BatchWorker> four(4, {1e9, 1e9, 1e9});
    EXPECT_EQ(deal(of_one_size(8, 100), four), (std::vector<index_t>{0, 25, 50, 75, 100}));
    EXPECT_EQ(deal(of_one_size(8, 2), four).back(), 2);
    EXPECT_EQ(deal(of_one_size(0, 8), four), (std::vector<index_t>{0, 2, 4, 6, 8}));
    EXPECT_EQ(deal(of_sizes({}), four), (std::vector<index_t>{0, 0, 0, 0, 0}));
}

TEST(Split, the_faster_gets_more) {
    const std::vector<BatchWorker> two{{3e9, 1e12, 1e12}, {1e9, 1e12, 1e12}};
    EXPECT_EQ(deal(of_one_size(64, 100), two), (std::vector<index_t>{0, 75, 100}));
    // By what holds them up: small products wait for the link, which is the same.
    const std::vector<BatchWorker> links{{3e9, 1, 1}, {1e9, 1, 1}};
    EXPECT_EQ(deal(of_one_size(2, 100), links), (std::vector<index_t>{0, 50, 100}));
}

/// Nobody has more than a fair part and the products at its ends.
TEST(Split, many_sizes_are_balanced) {
    Random random(1);
    const BatchWorker worker{1e9, 1e10, 1e10};
    for (int round = 0; round < 50; ++round) {
        std::vector<index_t> sizes;
        for (index_t i = random.between(1, 400); i > 0; --i) sizes.push_back(random.below(60));
        const Batch x = of_sizes(sizes);
        const std::vector<BatchWorker> workers(static_cast<std::size_t>(random.between(1, 6)),
                                               worker);
        const std::vector<index_t> bounds = deal(x, workers);
        ASSERT_EQ(bounds.size(), workers.size() + 1);
        ASSERT_EQ(bounds.front(), 0);
        ASSERT_EQ(bounds.back(), x.count);
        ASSERT_TRUE(std::ranges::is_sorted(bounds));
        const double fair = seconds_of(worker, x) / static_cast<double>(workers.size());
        const double largest = seconds_of(worker, of_one_size(60, 1));
        for (std::size_t w = 0; w < workers.size(); ++w)
            ASSERT_LE(seconds_of(worker, slice(x, bounds[w], bounds[w + 1])), fair + largest);
    }
}

TEST(Split, a_slice_moves_all_arrays) {
    const std::vector<index_t> sizes{1, 2, 3, 4};
    const double data[40] = {};
    const double factors[] = {5, 6, 7, 8};
    const void* pointers[] = {data, data + 1, data + 2, data + 3};
    Batch x = of_sizes(sizes);
    x.alpha.each = factors;
    x.a = {data, 10, nullptr, {1, sizes.data()}};
    x.b = {data, 0, nullptr, {1}};
    x.c = {nullptr, 0, pointers, {4}};
    const Batch s = slice(x, 1, 3);
    EXPECT_EQ(s.count, 2);
    const GemmArgs g = product_of(s, 1);
    EXPECT_EQ(g.m, 3);
    EXPECT_EQ(g.lda, 3);
    EXPECT_EQ(g.ldb, 1);
    EXPECT_EQ(g.alpha.re, 7);
    EXPECT_EQ(g.a, data + 20);
    EXPECT_EQ(g.b, data);
    EXPECT_EQ(g.c, data + 2);
}

TEST(Split, picked_products_are_those_of_all) {
    Random random(2);
    std::vector<index_t> sizes(30), picks;
    for (index_t& size : sizes) size = random.between(1, 9);
    std::vector<std::complex<float>> factors(30);
    std::iota(factors.begin(), factors.end(), 1.0F);
    const std::vector<double> data(3000);
    Batch x = of_sizes(sizes);
    x.type = Type::c;
    x.beta.each = factors.data();
    x.a = {data.data(), 50, nullptr, {1, sizes.data()}};
    x.b = {data.data(), 0, nullptr, {1, sizes.data()}};
    x.c = {data.data() + 1, 70, nullptr, {9}};
    for (index_t i = 0; i < x.count; ++i)
        if (random.chance(40)) picks.push_back(i);
    const Picked picked(x, picks);
    ASSERT_EQ(picked.batch().count, static_cast<index_t>(picks.size()));
    for (std::size_t p = 0; p < picks.size(); ++p) {
        const GemmArgs want = product_of(x, picks[p]);
        const GemmArgs got = product_of(picked.batch(), static_cast<index_t>(p));
        EXPECT_EQ(got.m, want.m);
        EXPECT_EQ(got.lda, want.lda);
        EXPECT_EQ(got.ldc, want.ldc);
        EXPECT_EQ(got.beta, want.beta);
        EXPECT_EQ(got.a, want.a);
        EXPECT_EQ(got.b, want.b);
        EXPECT_EQ(got.c, want.c);
    }
}

}  // namespace
}  // namespace gemmill::test
