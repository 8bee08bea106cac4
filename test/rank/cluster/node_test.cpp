// SPDX-License-Identifier: Apache-2.0
#include "rank/cluster/node.hpp"

#include <gtest/gtest.h>

#include "gemmill/error.hpp"

namespace gemmill::test {
namespace {

NodeShare three_devices() {
    NodeShare x;
    x.devices = 3, x.peak = 1e12, x.host = 50e9, x.peer = 50e9, x.memory = 16'000'000'000;
    return x;
}

TEST(NodeShare, is_read_from_the_node) {
    const Cluster summit = load_cluster("summit");
    const NodeShare x = share_of_rank(summit, load_machine(summit.node), Type::d);
    EXPECT_EQ(x.devices, 3);
    EXPECT_DOUBLE_EQ(x.peak, 7.2e12);
    EXPECT_DOUBLE_EQ(x.host, 50e9);
    EXPECT_DOUBLE_EQ(x.peer, 50e9);
    EXPECT_EQ(x.host_memory, 256'000'000'000);
    EXPECT_THROW(share_of_rank(summit, load_machine(summit.node), Type::b), Error);
}

TEST(NodeShare, columns_of_tiles_are_dealt_in_turn) {
    const DeviceTiles tiles{Type::d, 1000};
    // 4 columns of tiles on 3 devices: one has two of them.
    const double four = seconds_of(three_devices(), tiles, {8000, 4000, 1000, false, false});
    const double six = seconds_of(three_devices(), tiles, {8000, 6000, 1000, false, false});
    EXPECT_DOUBLE_EQ(four, six);
    EXPECT_NEAR(six, 2 * 8000e0 * 2000 * 1000 / 1e12, 0.1 * six);
}

TEST(NodeShare, loads_a_once_from_the_host_and_the_rest_from_peers) {
    const StageLoads x =
        loads_of(three_devices(), {Type::d, 1000}, {6000, 6000, 2000, true, false});
    EXPECT_DOUBLE_EQ(x.from_host + x.from_peers, 6000 * 2000 + 2000 * 2000.0);
    EXPECT_DOUBLE_EQ(x.from_peers, 6000 * 2000 * 2 / 3.0);
    EXPECT_DOUBLE_EQ(x.of_c, 6000 * 2000.0);
}

TEST(NodeShare, c_that_does_not_hide_behind_the_first_products_is_added) {
    NodeShare slow = three_devices();
    slow.host = 1e9;
    const DeviceTiles tiles{Type::d, 1000};
    const StageShape inner{3000, 3000, 10000, false, false}, first{3000, 3000, 10000, true, false};
    EXPECT_GT(seconds_of(slow, tiles, first), seconds_of(slow, tiles, inner));
}

TEST(PaperBlocks, keep_three_quarters_for_c_and_fill_the_rest) {
    const NodeShare node = three_devices();
    const DeviceTiles tiles{Type::d, 1024};
    const index_t fit = node.memory / (1024 * 1024 * 8);
    for (const index_t n : {8, 30, 60, 66, 70, 90, 150}) {
        const PaperBlocks x = paper_blocks(node, tiles, n * 1024, n * 1024, 12 * n * 1024);
        const index_t b = x.rows / 1024, c = (x.cols / 1024 + 2) / 3, d = x.depth / 1024;
        EXPECT_LE(4 * b * c, 3 * fit) << n;
        EXPECT_LE(b * c + (b + c) * d, fit) << n;
        EXPECT_GE(d, 1) << n;
        EXPECT_EQ(x.rows >= n * 1024, n <= 65) << n;
    }
    EXPECT_TRUE(paper_blocks(node, tiles, 8192, 8192, 16384).all_fits);
    EXPECT_THROW(paper_blocks(node, {Type::d, 1 << 20}, 1 << 22, 1 << 22, 1 << 22), Error);
}

}  // namespace
}  // namespace gemmill::test
