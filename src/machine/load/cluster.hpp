// SPDX-License-Identifier: Apache-2.0
// Many nodes of one kind and the network between them, as data.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gemmill/machine.hpp"

namespace gemmill {

struct Cluster {
    std::string name;
    std::string node;      ///< the machine that each node is: a name of the catalogue, or a file
    int nodes = 1;         ///< that there are
    int ranks = 1;         ///< of a node; they share its devices evenly
    double injection = 0;  ///< bytes/s that a node sends, and as many it receives
    double latency = 0;    ///< seconds of a message
    double within = 0;     ///< bytes/s between ranks of one node
    double bisection = 0;  ///< bytes/s between two halves of all nodes, each way
    double spread = 0;     ///< by what part the slowest device is slower than the fastest
    std::string origin;
    bool operator==(const Cluster&) const = default;
};

/// One record: "cluster NAME node=... nodes=... ranks=... injection=... latency=... within=...
/// bisection=... spread=... origin=...". Throws Error(parse) naming what is wrong.
Cluster parse_cluster(std::string_view text);

/// The clusters of the catalogue.
std::vector<std::string> cluster_names();
/// Whether a name is one of them, or a file that ends with ".cluster".
bool is_cluster(const std::string& name_or_file);
/// A cluster by name or from a file; its node is a sound machine.
Cluster load_cluster(const std::string& name_or_file);

/// How fast the devices of a rank are beside the fastest ones: 1 - spread to 1, the same on every
/// run.
double speed_of_rank(const Cluster& cluster, int rank, int devices);

}  // namespace gemmill
