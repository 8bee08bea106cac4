// SPDX-License-Identifier: Apache-2.0
// Rank programs on the clock of a cluster: every rank does its steps in their order, products take
// the time of its devices, messages that of the network. A message leaves when its sender has it
// and its receiver has room; one that arrives is passed on while the rank computes. Copies in host
// memory (pack, unpack, keep) are taken as hidden behind the devices.
#pragma once

#include "rank/cluster/script.hpp"

namespace gemmill {

struct ClusterModel {
    Cluster cluster;
    NodeShare node;
    DeviceTiles tiles;
};

struct ClusterTimes {
    double seconds = 0;
    double computing = 0;  ///< seconds that the rank which computes longest does so
    double sent = 0;       ///< bytes from rank to rank
    double network = 0;    ///< bytes of these between nodes
};

/// All ranks of a call, by number.
ClusterTimes run_on_clock(const ClusterModel& model, const std::vector<RankScript>& scripts);

/// One rank of so many, where all others are taken to be in step with it: a message is there as
/// soon as the ranks before it in its chain have passed it on and the rank's share of its node's
/// network has let it in.
ClusterTimes run_in_step(const ClusterModel& model, const RankScript& script, int rank, int ranks);

}  // namespace gemmill
