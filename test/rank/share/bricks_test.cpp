// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <map>
#include <tuple>

#include "support/random.hpp"
#include "support/rank_product.hpp"

namespace gemmill::test {
namespace {

/// How often each product of elements is made, in samples; and how many ranks work.
struct Made {
    std::map<std::tuple<index_t, index_t, index_t>, int> samples;
    int workers = 0;
    double most = 0;  ///< products of the rank with most of them
};

bool has(const IndexSet& set, index_t i) { return position_of(set, i + 1) > position_of(set, i); }

Made made_by(const Product& x, const Work& work, Random& random) {
    Made made;
    for (int i = 0; i < 50; ++i)
        made.samples[{random.below(x.update.m), random.below(x.update.n),
                      random.below(x.update.k)}] = 0;
    for (const WorkOfRank& share : work.of_rank) {
        if (share.row < 0) continue;
        ++made.workers;
        const IndexSet& rows = work.rows[static_cast<std::size_t>(share.row)];
        const IndexSet& cols = work.cols[static_cast<std::size_t>(share.col)];
        const IndexSet& depth = work.depths[static_cast<std::size_t>(share.depth)];
        made.most = std::max(made.most, static_cast<double>(total(rows) * total(cols)) *
                                            static_cast<double>(total(depth)));
        for (auto& [at, count] : made.samples) {
            const auto [i, j, l] = at;
            count += has(rows, i) && has(cols, j) && has(depth, l);
        }
    }
    return made;
}

TEST(BrickWork, makes_every_product_once_in_even_shares) {
    Random random(31);
    for (int i = 0; i < affordable(60); ++i) {
        const auto p = static_cast<int>(random.between(1, 5));
        const auto q = static_cast<int>(random.between(1, 5));
        const auto size = [&] { return 16 * random.between(10, 40) + random.below(16); };
        const Product x(size(), size(), size(), p, q);
        const auto depths = static_cast<int>(random.between(1, x.ranks));
        const auto groups = static_cast<int>(random.between(1, x.ranks / depths));
        const auto used = static_cast<int>(random.between(groups * depths, x.ranks));
        const Bricks bricks{groups, depths, used, random.chance(50)};
        const Work work = brick_work(x.update, bricks, x.ranks);
        const Made made = made_by(x, work, random);
        for (const auto& [at, count] : made.samples) ASSERT_EQ(count, 1) << work.name;
        EXPECT_EQ(made.workers, used);
        const double even = static_cast<double>(x.update.m) * static_cast<double>(x.update.n) *
                            static_cast<double>(x.update.k) / made.workers;
        EXPECT_LE(made.most, 1.25 * even) << work.name;
    }
}

TEST(BrickWork, ranks_get_what_they_store) {
    // One layer of bricks as large as the blocks of C: everyone makes its own.
    const Product x(640, 480, 320, 2, 3);
    const Work work = brick_work(x.update, even_bricks(2, 3, 1), x.ranks);
    for (int rank = 0; rank < x.ranks; ++rank) {
        const GridPlace place = x.update.c.distribution.place_of(rank);
        const WorkOfRank& share = work.of_rank[static_cast<std::size_t>(rank)];
        EXPECT_EQ(overlap(work.rows[static_cast<std::size_t>(share.row)],
                          x.update.c.distribution.rows_of(place.row)),
                  320);
        EXPECT_EQ(overlap(work.cols[static_cast<std::size_t>(share.col)],
                          x.update.c.distribution.cols_of(place.col)),
                  160);
    }
}

TEST(BrickWork, uneven_groups_leave_no_rank_idle) {
    const Product x(700, 700, 700, 1, 7);
    const Work work = brick_work(x.update, {2, 1, 7, true}, x.ranks);
    EXPECT_EQ(work.name, "bricks 2x3..4x1");
    EXPECT_EQ(total(work.rows[0]), 300);
    EXPECT_EQ(total(work.rows[1]), 400);
    for (const WorkOfRank& share : work.of_rank) EXPECT_GE(share.row, 0);
    EXPECT_EQ(brick_work(x.update, {2, 1, 7, false}, x.ranks).name, "bricks 3..4x2x1");
    EXPECT_EQ(brick_work(x.update, even_bricks(1, 2, 3), x.ranks).name, "bricks 1x2x3");
}

}  // namespace
}  // namespace gemmill::test
