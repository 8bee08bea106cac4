// SPDX-License-Identifier: Apache-2.0
#include "rank/cluster/clock.hpp"

#include <gtest/gtest.h>

#include "gemmill/error.hpp"

namespace gemmill::test {
namespace {

constexpr double mb = 1e6;

/// Devices of 1 Tflop/s, one a rank; nodes of one rank send 1 GB/s.
ClusterModel model() {
    ClusterModel x;
    x.cluster.nodes = 8, x.cluster.ranks = 1;
    x.cluster.injection = 1e9, x.cluster.within = 1e10, x.cluster.bisection = 8e9;
    x.node.peak = 1e12, x.node.host = 1e15;
    x.tiles.tile = 1000;
    return x;
}

/// 1000 x 1000 x 1000: 2 ms.
StageShape stage() { return {1000, 1000, 1000, false, false}; }

ScriptMessage message(int from, std::vector<int> to, double bytes, double piece) {
    ScriptMessage x;
    x.from = from, x.to = std::move(to), x.tag = 7;
    x.bytes = static_cast<std::int64_t>(bytes), x.piece = static_cast<std::int64_t>(piece);
    return x;
}

/// Rank 0 sends to 1, which passes on to 2, and so on; each computes when it has it.
std::vector<RankScript> chain(int ranks, double bytes, double piece) {
    std::vector<RankScript> all;
    for (int r = 0; r < ranks; ++r) {
        RankScript x;
        x.stages = {stage()};
        x.messages = {message(std::max(0, r - 1),
                              r + 1 < ranks ? std::vector{r + 1} : std::vector<int>{}, bytes,
                              piece)};
        x.steps = {{r == 0 ? RankOp::send : RankOp::receive, 0}};
        if (r > 0) x.steps.push_back({RankOp::unpack, 0});
        x.steps.push_back({RankOp::product, 0});
        x.steps.push_back({RankOp::drain, 0});
        all.push_back(std::move(x));
    }
    return all;
}

TEST(Clock, a_message_takes_latency_and_bytes_over_the_rate) {
    ClusterModel x = model();
    x.cluster.latency = 1e-3;
    const ClusterTimes times = run_on_clock(x, chain(2, 10 * mb, 10 * mb));
    EXPECT_NEAR(times.seconds, 1e-3 + 10e-3 + 2e-3, 1e-6);
    EXPECT_NEAR(times.computing, 2e-3, 1e-6);
    EXPECT_DOUBLE_EQ(times.sent, 10 * mb);
    EXPECT_DOUBLE_EQ(times.network, 10 * mb);
}

TEST(Clock, a_chain_in_pieces_is_not_stored_at_every_rank) {
    EXPECT_NEAR(run_on_clock(model(), chain(5, 10 * mb, 10 * mb)).seconds, 40e-3 + 2e-3, 1e-6);
    EXPECT_NEAR(run_on_clock(model(), chain(5, 10 * mb, 1 * mb)).seconds, 13e-3 + 2e-3, 1e-6);
}

TEST(Clock, ranks_of_a_node_do_not_use_the_network) {
    ClusterModel x = model();
    x.cluster.ranks = 2;
    const ClusterTimes times = run_on_clock(x, chain(2, 10 * mb, 10 * mb));
    EXPECT_NEAR(times.seconds, 1e-3 + 2e-3, 1e-6);
    EXPECT_DOUBLE_EQ(times.network, 0);
}

TEST(Clock, messages_into_one_node_take_turns) {
    std::vector<RankScript> all(3);
    for (int r = 0; r < 2; ++r) {
        all[static_cast<std::size_t>(r)].stages = {stage()};
        all[static_cast<std::size_t>(r)].messages = {message(r, {2}, 10 * mb, 10 * mb)};
        all[static_cast<std::size_t>(r)].messages[0].tag = r;
        all[static_cast<std::size_t>(r)].steps = {{RankOp::send, 0}};
        all[2].messages.push_back(message(r, {}, 10 * mb, 10 * mb));
        all[2].messages.back().tag = r;
    }
    all[2].stages = {stage()};
    all[2].steps = {
        {RankOp::receive, 0}, {RankOp::receive, 1}, {RankOp::unpack, 0}, {RankOp::unpack, 1}};
    EXPECT_NEAR(run_on_clock(model(), all).seconds, 20e-3, 1e-6);
}

TEST(Clock, the_middle_of_the_network_is_shared) {
    ClusterModel x = model();
    x.cluster.bisection = 0.1e9;
    EXPECT_NEAR(run_on_clock(x, chain(4, 10 * mb, 10 * mb)).seconds, (10 + 100 + 10 + 2) * 1e-3,
                1e-6);
}

TEST(Clock, slower_devices_take_longer) {
    ClusterModel x = model();
    x.cluster.spread = 0.5;
    EXPECT_GT(run_on_clock(x, chain(1, 0, 0)).computing, 2e-3);
}

TEST(Clock, a_message_that_nobody_sends_is_an_error) {
    std::vector<RankScript> all = chain(2, 10 * mb, 10 * mb);
    all[0].steps.erase(all[0].steps.begin());
    EXPECT_THROW(run_on_clock(model(), all), Error);
}

}  // namespace
}  // namespace gemmill::test
