// SPDX-License-Identifier: Apache-2.0
#include "schedule/queue/ranks.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "support/random.hpp"

namespace gemmill::test {
namespace {

std::vector<std::int32_t> all_of(const RankSet& ranks) {
    std::vector<std::int32_t> all;
    ranks.each([&](std::int32_t rank) {
        all.push_back(rank);
        return true;
    });
    return all;
}

TEST(RankSet, is_a_set) {
    Random random(1);
    constexpr std::int32_t most = 300;
    RankSet ranks(most);
    std::set<std::int32_t> expected;
    for (int i = 0; i < affordable(20000); ++i) {
        const auto rank = static_cast<std::int32_t>(random.below(most));
        const bool comes = random.chance(i % 2000 < 1000 ? 60 : 30);
        if (comes)
            ranks.insert(rank), expected.insert(rank);
        else
            ranks.erase(rank), expected.erase(rank);
        ASSERT_EQ(ranks.size(), expected.size());
        ASSERT_EQ(ranks.empty(), expected.empty());
        if (expected.empty()) continue;
        ASSERT_EQ(ranks.front(), *expected.begin());
        ASSERT_EQ(ranks.back(), *expected.rbegin());
        if (i % 100 != 0) continue;
        ASSERT_EQ(all_of(ranks), std::vector<std::int32_t>(expected.begin(), expected.end()));
    }
}

TEST(RankSet, a_visit_may_end_early) {
    RankSet ranks(200);
    for (const std::int32_t rank : {150, 3, 70}) ranks.insert(rank);
    int visits = 0;
    ranks.each([&](std::int32_t) { return ++visits < 2; });
    EXPECT_EQ(visits, 2);
}

}  // namespace
}  // namespace gemmill::test
