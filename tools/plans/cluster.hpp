// SPDX-License-Identifier: Apache-2.0
// gemmill simulate on a cluster: a distributed product on ranks that are not here.
#pragma once

#include <string>

#include "command/flags.hpp"

namespace gemmill::command {

struct ClusterFlags {
    std::string nodes, grid, lookahead;
};
void add_cluster_flags(CLI::App& app, ClusterFlags& flags);

/// Whether the call is for a cluster: --machine names one.
bool is_for_cluster(const CallFlags& flags);
int simulate_on_cluster(const CallFlags& flags, const ClusterFlags& cluster);

/// A line for each cluster that is known, and one of them for people.
std::string clusters_table();
std::string cluster_text(const std::string& name);

}  // namespace gemmill::command
