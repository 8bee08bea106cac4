// SPDX-License-Identifier: Apache-2.0
#include "matrix/index_set.hpp"

#include <gtest/gtest.h>

#include <map>

#include "support/random.hpp"

namespace gemmill::test {
namespace {

using Places = std::map<index_t, index_t>;  // local offset by global index

Places places_of(const IndexSet& set) {
    Places places;
    for (const IndexRun& run : set)
        for (index_t i = 0; i < run.count; ++i) places[run.begin + i] = run.offset + i;
    return places;
}

IndexSet random_set(Random& random) {
    IndexSet set;
    index_t begin = random.below(5), offset = random.below(5);
    for (index_t count = random.below(6); count > 0; --count) {
        const index_t size = random.between(1, 5);
        set.push_back({begin, size, offset});
        begin += size + random.below(4), offset += size + random.below(2);
    }
    return set;
}

TEST(IndexSet, meet_finds_every_common_index) {
    Random random(1);
    for (int i = 0; i < affordable(5000); ++i) {
        const IndexSet a = random_set(random), b = random_set(random);
        const Places at_a = places_of(a), at_b = places_of(b);
        std::vector<std::pair<index_t, index_t>> expected, found;
        for (const auto& [index, offset] : at_a)
            if (at_b.contains(index)) expected.emplace_back(offset, at_b.at(index));
        for (const Match& match : meet(a, b))
            for (index_t x = 0; x < match.count; ++x)
                found.emplace_back(match.from + x, match.to + x);
        ASSERT_EQ(found, expected) << "case " << i;
        ASSERT_EQ(overlap(a, b), static_cast<index_t>(expected.size()));
        bool run = true;
        for (std::size_t x = 1; x < expected.size(); ++x)
            run &= expected[x].first == expected[x - 1].first + 1;
        ASSERT_EQ(is_one_run(meet(a, b)), run);
    }
}

TEST(IndexSet, parts_of_matches_keep_places) {
    const Matches all{{3, 10, 20}, {2, 40, 50}};
    EXPECT_EQ(positions(all, 0, 5), all);
    EXPECT_EQ(positions(all, 1, 3), (Matches{{2, 11, 21}, {1, 40, 50}}));
    EXPECT_EQ(positions(all, 3, 9), (Matches{{2, 40, 50}}));
    EXPECT_TRUE(positions(all, 2, 0).empty());
}

TEST(IndexSet, parts_keep_places) {
    Random random(2);
    for (int i = 0; i < affordable(5000); ++i) {
        const IndexSet set = random_set(random);
        const Places all = places_of(set);
        const index_t from = random.below(20), count = random.below(20);
        Places in_range, first;
        index_t position = 0, below = 0;
        for (const auto& [index, offset] : all) {
            if (index >= from && index < from + count) in_range[index - from] = offset;
            if (position >= from && position < from + count) first[index] = offset;
            below += index < from;
            ++position;
        }
        ASSERT_EQ(places_of(within(set, from, count)), in_range) << "case " << i;
        ASSERT_EQ(places_of(positions(set, from, count)), first) << "case " << i;
        ASSERT_EQ(position_of(set, from), below);
        ASSERT_EQ(total(set), static_cast<index_t>(all.size()));
        index_t next = 0;
        for (const auto& [index, offset] : places_of(packed(set))) {
            ASSERT_TRUE(all.contains(index));
            ASSERT_EQ(offset, next++);
        }
        ASSERT_EQ(next, total(set));
    }
}

}  // namespace
}  // namespace gemmill::test
