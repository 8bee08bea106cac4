// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "rank/cluster/clock.hpp"

namespace gemmill::test {
namespace {

constexpr double mb = 1e6;

/// Devices of 1 Tflop/s, one a rank; nodes of one rank send 1 GB/s.
ClusterModel model() {
    ClusterModel x;
    x.cluster.nodes = 8, x.cluster.ranks = 1;
    x.cluster.injection = 1e9, x.cluster.within = 1e10, x.cluster.bisection = 8e9;
    x.cluster.latency = 0, x.cluster.spread = 0;
    x.node.peak = 1e12, x.node.host = 1e15;
    x.tiles.tile = 1000;
    return x;
}

ScriptMessage message(int from, std::vector<int> to, int stage, double bytes) {
    ScriptMessage x;
    x.from = from, x.to = std::move(to), x.stage = stage;
    x.bytes = x.piece = static_cast<std::int64_t>(bytes);
    return x;
}

/// Rank 0 receives 10 MB for each of so many stages of 2 ms, `ahead` of them before it computes.
RankScript receiving(int stages, int ahead) {
    RankScript x;
    for (int s = 0; s < stages; ++s) {
        x.stages.push_back({1000, 1000, 1000, false, false});
        x.messages.push_back(message(1, {}, s, 10 * mb));
    }
    for (int s = 0; s < stages + ahead; ++s) {
        if (s < stages) x.steps.push_back({RankOp::receive, s});
        if (s < ahead) continue;
        x.steps.push_back({RankOp::unpack, s - ahead});
        x.steps.push_back({RankOp::product, s - ahead});
    }
    return x;
}

TEST(InStep, a_stage_begins_when_its_message_is_there) {
    ClusterModel x = model();
    x.cluster.latency = 1e-3;
    const ClusterTimes times = run_in_step(x, receiving(1, 0), 0, 8);
    EXPECT_NEAR(times.seconds, 1e-3 + 10e-3 + 2e-3, 1e-6);
    EXPECT_NEAR(times.computing, 2e-3, 1e-6);
    EXPECT_DOUBLE_EQ(times.sent, 0);
}

TEST(InStep, lookahead_hides_the_shorter_of_messages_and_products) {
    EXPECT_NEAR(run_in_step(model(), receiving(4, 0), 0, 8).seconds, 4 * 12e-3, 1e-6);
    EXPECT_NEAR(run_in_step(model(), receiving(4, 1), 0, 8).seconds, 4 * 10e-3 + 2e-3, 1e-6);
}

TEST(InStep, ranks_before_it_in_a_chain_delay_a_message_by_a_piece_each) {
    RankScript x = receiving(1, 0);
    x.messages[0].hop = 3, x.messages[0].piece = static_cast<std::int64_t>(1 * mb);
    EXPECT_NEAR(run_in_step(model(), x, 0, 8).seconds, 3e-3 + 10e-3 + 2e-3, 1e-6);
}

TEST(InStep, what_is_sent_is_counted_and_drained) {
    RankScript x;
    x.stages = {{1000, 1000, 1000, false, false}};
    x.messages = {message(0, {1, 2}, 0, 10 * mb)};
    x.steps = {{RankOp::send, 0}, {RankOp::product, 0}, {RankOp::drain, 0}};
    const ClusterTimes times = run_in_step(model(), x, 0, 8);
    EXPECT_DOUBLE_EQ(times.sent, 20 * mb);
    EXPECT_DOUBLE_EQ(times.network, 20 * mb);
    EXPECT_GE(times.seconds, 20e-3 - 1e-6);
    ClusterModel near = model();
    near.cluster.ranks = 8;
    const ClusterTimes within = run_in_step(near, x, 0, 8);
    EXPECT_DOUBLE_EQ(within.network, 0);
    EXPECT_LT(within.seconds, times.seconds);
}

TEST(InStep, the_slowest_of_many_sets_the_pace) {
    ClusterModel x = model();
    x.cluster.spread = 0.2;
    EXPECT_NEAR(run_in_step(x, receiving(1, 0), 0, 8).computing, 2e-3 / 0.8, 1e-6);
}

}  // namespace
}  // namespace gemmill::test
