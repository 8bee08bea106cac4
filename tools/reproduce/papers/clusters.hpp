// SPDX-License-Identifier: Apache-2.0
// The runs of the GEMM paper on PaRSEC on 2 to 72 nodes of Summit.
#pragma once

#include <vector>

#include "reproduce/report.hpp"

namespace gemmill::command {

/// Speed by size, grid and lookahead; best beside parsec; what devices load.
std::vector<Section> cluster_sections(bool quick);

}  // namespace gemmill::command
