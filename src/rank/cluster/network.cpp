// SPDX-License-Identifier: Apache-2.0
#include "rank/cluster/network.hpp"

#include <algorithm>

namespace gemmill {

Network::Network(const Cluster& cluster, int ranks)
    : cluster_(cluster), half_((ranks + cluster.ranks - 1) / cluster.ranks / 2), middle_(2, 0) {
    const auto nodes = static_cast<std::size_t>((ranks + cluster.ranks - 1) / cluster.ranks);
    out_.resize(nodes), in_.resize(nodes), within_.resize(nodes);
}

double Network::turn(double& free, double ready, double seconds) {
    const double begin = std::max(free, ready);
    free = begin + seconds;
    return begin;
}

double Network::pass_middle(std::size_t way, double ready, double bytes) {
    turn(middle_[way], ready, bytes / cluster_.bisection);
    return middle_[way];
}

Transfer Network::send(const Order& x) {
    const auto from = static_cast<std::size_t>(node_of(x.from));
    const auto to = static_cast<std::size_t>(node_of(x.to));
    const double rate = from == to ? cluster_.within : cluster_.injection;
    const double seconds = x.bytes / rate;
    double begin = 0, through = 0;
    if (from == to) {
        begin = turn(within_[from], x.now, seconds) + cluster_.latency;
    } else {
        begin = turn(out_[from], x.now, seconds);
        if ((static_cast<int>(from) < half_) != (static_cast<int>(to) < half_))
            through = pass_middle(from < to ? 0 : 1, begin, x.bytes);
        begin = turn(in_[to], begin + cluster_.latency, seconds);
        network_bytes_ += x.bytes;
    }
    const double piece = std::min(x.piece, x.bytes) / rate;
    return {begin + piece, std::max({begin + seconds, through + cluster_.latency,
                                     x.whole + cluster_.latency + piece})};
}

}  // namespace gemmill
