// SPDX-License-Identifier: Apache-2.0
#include "rank/bound/price_search.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/random.hpp"

namespace gemmill::test {
namespace {

/// Enters columns until none gains more than it costs.
void solve(PriceSearch& search, const std::vector<PriceSearch::Column>& columns) {
    for (int round = 0; round < 1000; ++round) {
        bool changed = search.leave_unused();
        for (const PriceSearch::Column& column : columns) changed = search.enter(column) || changed;
        if (!changed) return;
    }
}

TEST(PriceSearch, finds_what_rows_are_worth) {
    // The example of Dantzig's: 3 x + 5 y, x <= 4, 2 y <= 12, 3 x + 2 y <= 18.
    PriceSearch search({4, 12, 18});
    solve(search, {{3, {1, 0, 3}}, {5, {0, 2, 2}}});
    EXPECT_NEAR(search.gain(), 36, 1e-9);
    EXPECT_NEAR(search.prices()[0], 0, 1e-9);
    EXPECT_NEAR(search.prices()[1], 1.5, 1e-9);
    EXPECT_NEAR(search.prices()[2], 1, 1e-9);
}

TEST(PriceSearch, takes_no_column_that_gains_nothing) {
    PriceSearch search({1, 0});
    EXPECT_FALSE(search.enter({0, {1, 0}}));
    EXPECT_FALSE(search.enter({-1, {1, 0}}));
    EXPECT_FALSE(search.leave_unused());
    EXPECT_TRUE(search.enter({1, {0, 1}}));
    EXPECT_EQ(search.gain(), 0);
}

TEST(PriceSearch, prices_prove_that_nothing_gains_more) {
    Random random(17);
    for (int i = 0; i < affordable(50); ++i) {
        const auto rows = static_cast<std::size_t>(random.between(1, 12));
        std::vector<double> there_is(rows);
        for (double& x : there_is) x = 1 + random.real();
        std::vector<PriceSearch::Column> columns(static_cast<std::size_t>(random.between(1, 40)));
        for (PriceSearch::Column& column : columns) {
            column.gain = random.real();
            for (std::size_t row = 0; row < rows; ++row)
                column.uses.push_back(random.chance(30) ? 1 + random.real() : 0);
            column.uses[static_cast<std::size_t>(random.below(static_cast<index_t>(rows)))] += 0.1;
        }
        PriceSearch search(there_is);
        solve(search, columns);
        double cost = 0;
        for (std::size_t row = 0; row < rows; ++row) {
            ASSERT_GE(search.prices()[row], -1e-9);
            cost += search.prices()[row] * there_is[row];
        }
        EXPECT_NEAR(cost, search.gain(), 1e-9);
        for (const PriceSearch::Column& column : columns) {
            double worth = column.gain;
            for (std::size_t row = 0; row < rows; ++row)
                worth -= search.prices()[row] * column.uses[row];
            EXPECT_LE(worth, 1e-9);
        }
    }
}

}  // namespace
}  // namespace gemmill::test
