// SPDX-License-Identifier: Apache-2.0
#include "rank/cluster/network.hpp"

#include <gtest/gtest.h>

namespace gemmill::test {
namespace {

Cluster nodes_of_two() {
    Cluster x;
    x.nodes = 4, x.ranks = 2;
    x.injection = 1e9, x.within = 4e9, x.bisection = 2e9, x.latency = 1e-3;
    return x;
}

TEST(Network, a_node_sends_one_message_after_the_other_and_receives_at_the_same_time) {
    const Cluster cluster = nodes_of_two();
    Network network(cluster, 8);
    // Both ranks of node 0 send 10 MB to different nodes.
    EXPECT_NEAR(network.send({0, 2, 1e7, 1e7, 0, 0}).end, 0.011, 1e-9);
    EXPECT_NEAR(network.send({1, 2, 1e7, 1e7, 0, 0}).end, 0.021, 1e-9);
    // What node 0 receives is not held up by what it sends.
    EXPECT_NEAR(network.send({3, 0, 1e7, 1e7, 0, 0}).end, 0.011, 1e-9);
    EXPECT_DOUBLE_EQ(network.network_bytes(), 3e7);
}

TEST(Network, neighbours_have_a_way_of_their_own) {
    const Cluster cluster = nodes_of_two();
    Network network(cluster, 8);
    EXPECT_NEAR(network.send({0, 1, 4e7, 4e7, 0, 0}).end, 0.011, 1e-9);
    EXPECT_DOUBLE_EQ(network.network_bytes(), 0);
}

TEST(Network, the_first_piece_comes_before_the_whole_and_the_whole_after_the_senders) {
    const Cluster cluster = nodes_of_two();
    Network network(cluster, 8);
    const Transfer x = network.send({0, 2, 1e7, 1e6, 0, 0.5});
    EXPECT_NEAR(x.head, 0.002, 1e-9);
    EXPECT_NEAR(x.end, 0.5 + 0.001 + 0.001, 1e-9);
}

TEST(Network, both_halves_share_the_middle) {
    const Cluster cluster = nodes_of_two();
    Network network(cluster, 8);
    // Two nodes of one half send to two of the other: 2 GB/s for both.
    network.send({0, 4, 1e7, 1e7, 0, 0});
    EXPECT_NEAR(network.send({2, 6, 1e7, 1e7, 0, 0}).end, 0.011, 1e-9);
    EXPECT_GT(network.send({2, 4, 1e7, 1e7, 0, 0}).end, 0.02);
}

}  // namespace
}  // namespace gemmill::test
