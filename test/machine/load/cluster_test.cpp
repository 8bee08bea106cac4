// SPDX-License-Identifier: Apache-2.0
#include "machine/load/cluster.hpp"

#include <gtest/gtest.h>

#include "gemmill/error.hpp"

namespace gemmill::test {
namespace {

constexpr const char* sound =
    "cluster two node=summit-node nodes=2 ranks=2 injection=10GB/s latency=1us within=50GB/s "
    "bisection=10GB/s spread=0.1 origin=\"made up\"";

TEST(Cluster, is_read_from_one_record) {
    const Cluster x = parse_cluster(sound);
    EXPECT_EQ(x.name, "two");
    EXPECT_EQ(x.node, "summit-node");
    EXPECT_EQ(x.nodes, 2);
    EXPECT_EQ(x.ranks, 2);
    EXPECT_DOUBLE_EQ(x.injection, 1e10);
    EXPECT_DOUBLE_EQ(x.latency, 1e-6);
    EXPECT_DOUBLE_EQ(x.within, 5e10);
    EXPECT_DOUBLE_EQ(x.spread, 0.1);
    EXPECT_EQ(x.origin, "made up");
}

TEST(Cluster, faults_are_named) {
    const auto fault = [](const std::string& from, const std::string& to) {
        std::string text = sound;
        text.replace(text.find(from), from.size(), to);
        try {
            parse_cluster(text);
        } catch (const Error& error) {
            return error.text();
        }
        return std::string("none");
    };
    EXPECT_NE(fault("nodes=2", "nodes=0").find("nodes"), std::string::npos);
    EXPECT_NE(fault("nodes=2 ", "").find("nodes"), std::string::npos);
    EXPECT_NE(fault("spread=0.1", "spread=1").find("spread"), std::string::npos);
    EXPECT_NE(fault("within=50GB/s", "within=0GB/s").find("within"), std::string::npos);
    EXPECT_NE(fault("spread", "colour").find("colour"), std::string::npos);
    EXPECT_NE(fault("cluster two", "machine two").find("cluster"), std::string::npos);
}

TEST(Cluster, those_of_the_catalogue_are_sound) {
    EXPECT_FALSE(cluster_names().empty());
    for (const std::string& name : cluster_names()) {
        EXPECT_TRUE(is_cluster(name));
        const Cluster x = load_cluster(name);
        EXPECT_EQ(x.name, name);
        EXPECT_FALSE(x.origin.empty());
    }
    EXPECT_FALSE(is_cluster("summit-node"));
    EXPECT_THROW(load_cluster("/nowhere/x.cluster"), Error);
}

TEST(Cluster, devices_differ_by_the_spread_and_not_from_run_to_run) {
    const Cluster x = parse_cluster(sound);
    double slowest = 1, fastest = 0;
    for (int rank = 0; rank < 100; ++rank) {
        const double speed = speed_of_rank(x, rank, 3);
        EXPECT_EQ(speed, speed_of_rank(x, rank, 3));
        slowest = std::min(slowest, speed), fastest = std::max(fastest, speed);
    }
    EXPECT_GE(slowest, 0.9);
    EXPECT_LT(slowest, 0.91);
    EXPECT_GT(fastest, slowest);
}

}  // namespace
}  // namespace gemmill::test
