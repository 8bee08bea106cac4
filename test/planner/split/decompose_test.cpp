// SPDX-License-Identifier: Apache-2.0
#include "planner/split/decompose.hpp"

#include <gtest/gtest.h>

#include "support/plan_case.hpp"

namespace gemmill::test {
namespace {

Problem problem(index_t m, index_t n, index_t k = 100) {
    Problem p;
    p.m = m, p.n = n, p.k = k;
    return p;
}

Machine equal(int devices) {
    return synthetic_machine(fmt::format("gpu:{}(mem=1GB,d=1T)", devices));
}

std::vector<DeviceId> first(int count) {
    std::vector<DeviceId> all;
    for (DeviceId d = 0; d < count; ++d) all.push_back(d);
    return all;
}

/// The blocks of each device, "rows x cols".
std::vector<std::string> shapes(const std::vector<Block>& blocks) {
    std::vector<std::string> all;
    for (const Block& b : blocks) all.push_back(fmt::format("{}x{}", b.rows.count, b.cols.count));
    return all;
}

TEST(MakeGrid, fetches_least) {
    using Shapes = std::vector<std::string>;
    EXPECT_EQ(shapes(make_grid(equal(4), problem(1024, 1024), first(4))), Shapes(4, "512x512"));
    EXPECT_EQ(shapes(make_grid(equal(4), problem(64, 4096), first(4))), Shapes(4, "64x1024"));
    EXPECT_EQ(shapes(make_grid(equal(4), problem(4096, 64), first(4))), Shapes(4, "1024x64"));
    EXPECT_EQ(shapes(make_grid(equal(1), problem(7, 9), first(1))), Shapes{"7x9"});
    EXPECT_TRUE(make_grid(equal(2), problem(0, 9), first(2)).empty());
    EXPECT_TRUE(make_grid(equal(2), problem(9, 0), first(2)).empty());
}

TEST(MakeGrid, uses_fewer_devices_when_there_is_too_little) {
    EXPECT_EQ(make_grid(equal(4), problem(1, 1), first(4)).size(), 1U);
    EXPECT_EQ(make_grid(equal(5), problem(2, 2), first(5)).size(), 4U);
}

TEST(MakeGrid, unequal_devices_get_strips_by_rate) {
    Machine m = equal(3);
    m.devices[0].peak.fill(3e12);
    const auto blocks = make_grid(m, problem(64, 6400), first(3));
    EXPECT_EQ(shapes(blocks), (std::vector<std::string>{"64x3840", "64x1280", "64x1280"}));
    const auto tall = make_grid(m, problem(6400, 64), first(3));
    EXPECT_EQ(shapes(tall), (std::vector<std::string>{"3840x64", "1280x64", "1280x64"}));
}

TEST(MakeGrid, blocks_tile_c_and_none_is_empty) {
    Random random(1);
    for (int i = 0; i < affordable(3000); ++i) {
        const Machine m = random_machine(random);
        const Problem p = problem(random.between(1, 300), random.between(1, 300));
        const auto devices = first(static_cast<int>(m.devices.size()));
        const auto blocks = make_grid(m, p, devices);
        index_t area = 0;
        for (std::size_t b = 0; b < blocks.size(); ++b) {
            const Block& x = blocks[b];
            ASSERT_EQ(x.device, devices[b]);
            ASSERT_GT(x.rows.count, 0);
            ASSERT_GT(x.cols.count, 0);
            ASSERT_LE(x.rows.first + x.rows.count, p.m);
            ASSERT_LE(x.cols.first + x.cols.count, p.n);
            area += x.rows.count * x.cols.count;
        }
        ASSERT_EQ(area, p.m * p.n) << p.m << " x " << p.n << " on " << m.name;
        ASSERT_FALSE(blocks.empty());
        ASSERT_LE(blocks.size(), devices.size());
    }
}

TileRule rule(Tiling tiling, index_t m, index_t n, index_t k, index_t devices = 1) {
    return {tiling, {0, m}, {0, n}, m, n, k, devices};
}

TEST(ChooseEdge, lies_within_the_block) {
    Random random(2);
    for (int i = 0; i < affordable(300); ++i) {
        const index_t m = random.between(1, 5000), n = random.between(1, 5000);
        const index_t k = random.below(5000);
        const index_t by_cost = choose_edge(rule(Tiling::cost, m, n, k));
        ASSERT_GE(by_cost, 1);
        ASSERT_LE(by_cost, std::max(m, n));
        const index_t capped = choose_edge(rule(Tiling::capped, m, n, k));
        ASSERT_GE(capped, 1);
        ASSERT_LE(capped, std::max(std::min({m, n, k}), std::min<index_t>(128, std::max(m, n))));
        for (const Tiling tiling : {Tiling::quarter, Tiling::fixed, Tiling::many})
            ASSERT_GE(choose_edge(rule(tiling, m, n, k, 8)), 1);
    }
}

TEST(ChooseEdge, divides_where_it_can) {
    const index_t edge = choose_edge(rule(Tiling::cost, 16384, 16384, 16384));
    EXPECT_EQ(16384 % edge, 0);
    EXPECT_GE(edge, 1024);
    EXPECT_EQ(choose_edge(rule(Tiling::cost, 3, 5, 7)), 5);
}

/// The tiles that the imitated libraries were seen to use.
TEST(ChooseEdge, imitates) {
    EXPECT_EQ(choose_edge(rule(Tiling::quarter, 8192, 8192, 8192)), 2048);
    EXPECT_EQ(choose_edge(rule(Tiling::fixed, 8192, 8192, 8192)), 1600);
    EXPECT_EQ(choose_edge(rule(Tiling::many, 8192, 8192, 8192, 2)), 2048);
    EXPECT_EQ(choose_edge(rule(Tiling::many, 10000, 10000, 1000, 8)), 1000);
    EXPECT_EQ(choose_edge({Tiling::capped, {0, 1500}, {0, 750}, 3000, 3000, 15000, 8}), 750);
}

}  // namespace
}  // namespace gemmill::test
