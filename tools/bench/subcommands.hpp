// SPDX-License-Identifier: Apache-2.0
// The subcommands of gemmill bench.
#pragma once

#include "command/subcommands.hpp"

namespace gemmill::command {

void add_bench_gemm(CLI::App& parent, Action& action);
void add_bench_level3(CLI::App& parent, Action& action);
void add_bench_batch(CLI::App& parent, Action& action);
void add_bench_random(CLI::App& parent, Action& action);
void add_bench_dynamic(CLI::App& parent, Action& action);
void add_bench_joined(CLI::App& parent, Action& action);

}  // namespace gemmill::command
