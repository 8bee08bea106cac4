// SPDX-License-Identifier: Apache-2.0
// The network of a cluster on a clock: messages take turns at what a node sends, at what a node
// receives and at the middle of the network, in the order in which they become ready.
#pragma once

#include "machine/load/cluster.hpp"

namespace gemmill {

struct Transfer {
    double head = 0;  ///< when the first piece is there
    double end = 0;   ///< when all of it is there
};

class Network {
  public:
    /// Consecutive ranks share a node.
    Network(const Cluster& cluster, int ranks);

    /// A message that is ready at `now`; the last of its bytes reach the sender at `whole` (now or
    /// earlier: it has them). `piece` bytes go at a time.
    struct Order {
        int from = 0, to = 0;
        double bytes = 0, piece = 0;
        double now = 0, whole = 0;
    };
    Transfer send(const Order& order);

    int node_of(int rank) const { return rank / cluster_.ranks; }
    double network_bytes() const { return network_bytes_; }  ///< between nodes

  private:
    /// Takes a turn at something that is busy until `free`; returns when it begins.
    static double turn(double& free, double ready, double seconds);
    /// When the last byte has passed the middle of the network.
    double pass_middle(std::size_t way, double ready, double bytes);

    const Cluster& cluster_;
    int half_;
    std::vector<double> out_, in_, within_;  // when each node is free
    std::vector<double> middle_;             // each way
    double network_bytes_ = 0;
};

}  // namespace gemmill
