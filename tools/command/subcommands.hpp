// SPDX-License-Identifier: Apache-2.0
// The subcommands: how each is added, and what it returns.
#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace gemmill::command {

/// Exit codes.
inline constexpr int ok = 0, failed = 1, bad_input = 2;

/// What a subcommand does once its arguments are parsed; returns the exit code.
using Action = std::function<int()>;

void add_machine(CLI::App& app, Action& action);
void add_plan(CLI::App& app, Action& action);
void add_simulate(CLI::App& app, Action& action);
void add_gemm(CLI::App& app, Action& action);
void add_info(CLI::App& app, Action& action);
void add_demo(CLI::App& app, Action& action);
void add_reproduce(CLI::App& app, Action& action);
void add_bench(CLI::App& app, Action& action);
void add_run(CLI::App& app, Action& action);
void add_blas(CLI::App& app, Action& action);
void add_tune(CLI::App& app, Action& action);
void add_sweep(CLI::App& app, Action& action);

}  // namespace gemmill::command
