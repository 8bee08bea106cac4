// SPDX-License-Identifier: Apache-2.0
#include "rank/share/bound.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/random.hpp"
#include "support/rank_product.hpp"

namespace gemmill::test {
namespace {

TEST(NetBound, is_cosmas_where_memory_is_short) {
    // Memory for the matrices alone, which are a quarter each.
    const NetBound x = net_bound(Type::d, 1000, 1000, 1000, 4, 0);
    EXPECT_NEAR(x.cosma, 8 * 2e9 / std::sqrt(0.75e6), 1);
    EXPECT_NEAR(net_bound(Type::d, 1000, 1000, 1000, 4, 8e6).cosma, 8 * 2e9 / 1e3, 1);
}

TEST(NetBound, counts_what_an_even_share_touches_beyond_its_own) {
    // 8 cubes of 500: three faces each, less an eighth of each matrix.
    EXPECT_NEAR(net_bound(Type::d, 1000, 1000, 1000, 8, 1e12).compulsory,
                8 * 8 * (3 * 250000.0 - 3 * 125000.0), 1);
    // k alone is cut: the ranks touch all of the small C and their own A and B.
    EXPECT_NEAR(net_bound(Type::s, 10, 10, 100000, 5, 1e12).compulsory, 4 * 4 * 100.0, 1);
    EXPECT_EQ(net_bound(Type::d, 100, 100, 100, 1, 0).bytes(), 0);
    EXPECT_EQ(net_bound(Type::d, 100, 0, 100, 4, 0).bytes(), 0);
}

TEST(PaperNetBytes, parsec_sends_no_more_than_the_paper_counts) {
    Random random(5);
    for (int i = 0; i < 60; ++i) {
        const int p = static_cast<int>(random.between(1, 4)),
                  q = static_cast<int>(random.between(1, 4));
        const index_t m = 16 * p * random.between(2, 12), n = 16 * q * random.between(2, 12);
        const Product x(m, n, 16 * p * q * random.between(1, 8), p, q);
        DistPolicy policy = named("parsec");
        policy.row_block = m / p / random.between(1, 3);
        policy.col_block = n / q / random.between(1, 3);
        policy.depth = 16 * random.between(1, 8);
        const DistChoice choice = x.choose(policy);
        const double b = static_cast<double>(m) / p / static_cast<double>(choice.cut.row_blocks);
        const double c = static_cast<double>(n) / q / static_cast<double>(choice.cut.col_blocks);
        const double paper =
            paper_net_bytes(Type::d, m, n, x.update.k, p, q, static_cast<index_t>(std::ceil(b)),
                            static_cast<index_t>(std::ceil(c)));
        EXPECT_LE(static_cast<double>(sent_by_all(x, choice)), 1.05 * paper + 1) << i;
    }
}

/// What best sends on a grid, over what it must at least.
double over_bound(const Product& x) {
    const DistChoice choice = x.choose(named("best"));
    const auto elements = static_cast<double>(x.update.m * x.update.k + x.update.k * x.update.n +
                                              x.update.m * x.update.n);
    const NetBound bound =
        net_bound(Type::d, x.update.m, x.update.n, x.update.k, x.ranks, 8 * elements / x.ranks);
    return static_cast<double>(sent_by_all(x, choice)) / std::max(1.0, bound.bytes());
}

TEST(NetBound, best_on_up_to_four_ranks_stays_below_it) {
    Random random(6);
    for (int i = 0; i < 60; ++i) {
        const auto q = static_cast<int>(random.between(1, 2));
        const auto p = static_cast<int>(random.between(1, q));
        const auto edge = [&] { return 16 * random.between(24, 48); };
        EXPECT_LE(over_bound(Product(edge(), edge(), edge(), p, q)), 1.1) << p << "x" << q;
    }
}

TEST(NetBound, best_on_larger_grids_is_off_by_what_two_dimensions_are) {
    // A third of the memory holds C, where the bound has all of it: a factor of sqrt(3).
    Random random(7);
    for (int i = 0; i < 20; ++i) {
        const int p = static_cast<int>(random.between(3, 6));
        const index_t edge = 16 * p * random.between(8, 12);
        EXPECT_LE(over_bound(Product(edge, edge, edge, p, p)), 1.1 * std::sqrt(3.0) * (1 - 1.0 / p))
            << p;
    }
}

}  // namespace
}  // namespace gemmill::test
