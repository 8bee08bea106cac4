// SPDX-License-Identifier: Apache-2.0
// gemmill bench: measures ours beside peers.
#include <CLI/CLI.hpp>

#include "bench/subcommands.hpp"

namespace gemmill::command {
namespace {

constexpr const char* footer =
    "Examples:\n"
    "  gemmill bench gemm --peers --out bench.json --svg bench.svg\n"
    "  gemmill bench gemm --cases \"pinned 4096,thin\"\n"
    "  gemmill bench gemm --quick --peers\n"
    "  gemmill bench random --seed 7 --count 40\n"
    "  gemmill bench joined --n 16384\n"
    "  gemmill bench batch --peers";

}  // namespace

void add_bench(CLI::App& app, Action& action) {
    CLI::App* parent = app.add_subcommand("bench", "Measure against peers on a GPU");
    parent->footer(footer);
    parent->require_subcommand(1);
    add_bench_gemm(*parent, action);
    add_bench_level3(*parent, action);
    add_bench_batch(*parent, action);
    add_bench_random(*parent, action);
    add_bench_dynamic(*parent, action);
    add_bench_joined(*parent, action);
}

}  // namespace gemmill::command
