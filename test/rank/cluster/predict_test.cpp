// SPDX-License-Identifier: Apache-2.0
#include "rank/cluster/predict.hpp"

#include <gtest/gtest.h>

#include "gemmill/error.hpp"
#include "rank/bound/bound.hpp"

namespace gemmill::test {
namespace {

ClusterCall square(index_t n, int edge, const char* policy, int lookahead = -1) {
    ClusterCall call;
    call.m = call.n = call.k = n;
    call.grid_rows = call.grid_cols = edge;
    call.policy = policy, call.lookahead = lookahead;
    return call;
}

double share_of_peak(const ClusterCall& call, const ClusterPrediction& x) {
    const auto n = static_cast<double>(call.m);
    return 2 * n * n * n / x.times.seconds / (call.grid_rows * call.grid_cols * 3 * 7.2e12);
}

TEST(PredictCall, summit_reaches_the_plateau_of_the_paper) {
    const Cluster summit = load_cluster("summit");
    for (const int edge : {2, 4, 6}) {
        const ClusterCall call = square(index_t{65536} * edge, edge, "parsec", 1);
        EXPECT_NEAR(share_of_peak(call, predict_call(summit, call)), 0.85, 0.085);
    }
}

TEST(PredictCall, devices_load_what_equation_1_counts_and_half_of_it_from_peers) {
    const Cluster summit = load_cluster("summit");
    for (const index_t n : {40960, 131072, 135168}) {
        const ClusterPrediction x = predict_call(summit, square(n, 2, "parsec"));
        EXPECT_NEAR(x.device_loads / x.loads_of_model, 1, 0.05) << n;
        EXPECT_NEAR(x.peer_share, 0.5, 0.07) << n;
    }
}

TEST(PredictCall, names_the_cases_of_the_paper) {
    const Cluster summit = load_cluster("summit");
    EXPECT_EQ(predict_call(summit, square(40960, 2, "parsec")).paper_case, "a");
    const ClusterPrediction c1 = predict_call(summit, square(131072, 2, "parsec"));
    EXPECT_EQ(c1.paper_case, "c1");
    EXPECT_EQ(c1.lookahead, 1);
    const ClusterPrediction c2 = predict_call(summit, square(135168, 2, "parsec"));
    EXPECT_EQ(c2.paper_case, "c2");
    EXPECT_EQ(c2.lookahead, 2);
}

TEST(PredictCall, with_a_slow_network_lookahead_1_drops_where_c_no_longer_fits) {
    const Cluster slow = load_cluster("summit-parsec");
    const auto share = [&](index_t per_process, int lookahead) {
        const ClusterCall call = square(per_process * 12, 12, "parsec", lookahead);
        return share_of_peak(call, predict_call(slow, call));
    };
    const double before = share(65536, 1);
    EXPECT_LT(share(67584, 1), 0.85 * before);
    EXPECT_GT(share(67584, 2), 0.97 * before);
    EXPECT_GT(share(92160, 1), 0.97 * before);
}

TEST(PredictCall, best_is_never_slower_than_parsec) {
    const Cluster slow = load_cluster("summit-parsec");
    for (const index_t rows : {16384, 65536, 67584, 92160})
        for (const int lookahead : {1, 2})
            EXPECT_LE(predict_call(slow, square(rows * 4, 4, "best")).times.seconds,
                      predict_call(slow, square(rows * 4, 4, "parsec", lookahead)).times.seconds);
}

TEST(PredictCall, one_rank_in_step_is_close_to_all_ranks) {
    const Cluster summit = load_cluster("summit");
    const ClusterCall few = square(index_t{65536} * 6, 6, "parsec", 1);
    const ClusterCall many = square(index_t{65536} * 90, 90, "parsec", 1);
    const ClusterPrediction all = predict_call(summit, few), one = predict_call(summit, many);
    ASSERT_TRUE(all.all_ranks);
    ASSERT_FALSE(one.all_ranks);
    EXPECT_NEAR(share_of_peak(many, one) / share_of_peak(few, all), 1, 0.03);
}

TEST(PredictCall, a_rank_of_all_of_summit_has_a_small_plan) {
    ClusterCall call = square(9'200'000, 1, "parsec");
    call.grid_rows = 92, call.grid_cols = 100;
    const ClusterPrediction x = predict_call(load_cluster("summit"), call);
    EXPECT_FALSE(x.all_ranks);
    EXPECT_LT(x.plan_bytes, std::int64_t{1} << 30);
    EXPECT_GT(x.stages, 1000);
}

TEST(PredictCall, parsec_sends_what_the_paper_counts) {
    const Cluster summit = load_cluster("summit");
    for (const index_t n : {131072, 135168, 151552}) {
        const ClusterPrediction x = predict_call(summit, square(n, 4, "parsec"));
        const double paper = paper_net_bytes(Type::d, n, n, n, 4, 4, x.row_block, x.col_block);
        EXPECT_NEAR(x.times.sent / paper, 1, 0.05) << n;
    }
}

TEST(PredictCall, says_what_does_not_fit) {
    const Cluster summit = load_cluster("summit");
    EXPECT_THROW(predict_call(summit, square(4096, 100, "parsec")), Error);
    EXPECT_THROW(predict_call(summit, square(4096, 2, "fast")), Error);
    EXPECT_THROW(predict_call(summit, square(1'000'000, 2, "parsec")), Error);
}

}  // namespace
}  // namespace gemmill::test
