// SPDX-License-Identifier: Apache-2.0
#include "rank/share/bound.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "support/brick_floor.hpp"
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

/// What all ranks send, sums on their way to C among it.
double sent_with_sums(const Product& x, const DistChoice& choice) {
    double sent = 0;
    for (int rank = 0; rank < x.ranks; ++rank) {
        sent += static_cast<double>(x.program(choice, rank).sent_bytes);
        const WorkOfRank& share = choice.work.of_rank[static_cast<std::size_t>(rank)];
        if (choice.work.in_place || share.row < 0) continue;
        const IndexSet& rows = choice.work.rows[static_cast<std::size_t>(share.row)];
        const IndexSet& cols = choice.work.cols[static_cast<std::size_t>(share.col)];
        const Distribution& c = x.update.c.distribution;
        const GridPlace place = c.place_of(rank);
        sent += 8 * static_cast<double>(total(rows) * total(cols) -
                                        overlap(c.rows_of(place.row), rows) *
                                            overlap(c.cols_of(place.col), cols));
    }
    return sent;
}

/// What best sends on a grid, over what it must at least.
double over_bound(const Product& x) {
    const DistChoice choice = x.choose(named("best"));
    const auto elements = static_cast<double>(x.update.m * x.update.k + x.update.k * x.update.n +
                                              x.update.m * x.update.n);
    const NetBound bound =
        net_bound(Type::d, x.update.m, x.update.n, x.update.k, x.ranks, 8 * elements / x.ranks);
    return sent_with_sums(x, choice) / std::max(1.0, bound.bytes());
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

/// The most square grid of so many ranks.
Product on_ranks(int ranks, index_t m, index_t n, index_t k) {
    int rows = 1;
    for (int p = 1; p * p <= ranks; ++p)
        if (ranks % p == 0) rows = p;
    return {m, n, k, rows, ranks / rows};
}

/// The value that a share of them stays below.
double quantile(std::vector<double> values, double share) {
    std::ranges::sort(values);
    return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

/// Calls f with random products on 5 to 64 ranks.
void for_any_shape(std::uint64_t seed, int cases, const std::function<void(const Product&)>& f) {
    Random random(seed);
    for (int i = 0; i < affordable(cases); ++i) {
        const auto ranks = static_cast<int>(random.between(5, 64));
        const auto edge = [&] { return 16 * random.between(32, 256); };
        const index_t m = edge(), n = edge(), k = edge();
        f(on_ranks(ranks, m, n, k));
    }
}

TEST(NetBound, best_of_any_shape_on_5_to_64_ranks_is_not_far_above_it) {
    std::vector<double> ratios;
    for_any_shape(7, 100, [&](const Product& x) {
        ratios.push_back(over_bound(x));
        EXPECT_LE(ratios.back(), 1.7)
            << x.ranks << " " << x.update.m << " " << x.update.n << " " << x.update.k;
    });
    EXPECT_LE(quantile(ratios, 0.5), 1.2);
    EXPECT_LE(quantile(ratios, 0.9), 1.4);
}

TEST(NetBound, best_is_near_what_bricks_must_send_in_these_layouts) {
    std::vector<double> ratios;
    for_any_shape(8, 20, [&](const Product& x) {
        const DistUpdate& u = x.update;
        const Distribution& c = u.c.distribution;
        const BrickFloor floor(u.m, u.n, u.k, c.grid_rows(), c.grid_cols());
        ratios.push_back(sent_with_sums(x, x.choose(named("best"))) / (8 * floor.elements()));
    });
    EXPECT_LE(quantile(ratios, 0.5), 1.04);
    EXPECT_LE(quantile(ratios, 0.9), 1.1);
}

TEST(NetBound, replicas_of_c_reach_it_where_the_grid_suits_them) {
    const index_t n = 2048;
    EXPECT_LE(over_bound(on_ranks(64, n, n, n)), 1.09);
    EXPECT_LE(over_bound(on_ranks(27, n, n, n)), 1.12);
}

}  // namespace
}  // namespace gemmill::test
