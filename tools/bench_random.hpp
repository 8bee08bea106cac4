// SPDX-License-Identifier: Apache-2.0
// gemmill bench random: random calls of level 3 on a GPU, ours beside cuBLASXt and cuBLAS.
#pragma once

#include "common.hpp"

namespace gemmill::command {

void add_bench_random(CLI::App& parent, Action& action);

}  // namespace gemmill::command
