// SPDX-License-Identifier: Apache-2.0
// gemmill bench level3: its flags.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "base/text.hpp"
#include "bench/level3/run.hpp"
#include "bench/subcommands.hpp"
#include "command/console.hpp"
#include "command/values.hpp"

namespace gemmill::command {
namespace {

constexpr const char* footer =
    "Examples:\n"
    "  gemmill bench level3 --out level3.json\n"
    "  gemmill bench level3 --cases syrk,trsm --n 8192\n"
    "\nDoubles, lower, left, not transposed, alpha = 1.1, beta = 0.9, random matrices; medians.\n"
    "From pinned memory beside cuBLASXt with several blocks, of which the fastest counts, and on\n"
    "the GPU beside cuBLAS. Every contender is checked.";

struct Level3Flags {
    std::string n = "16384", cases, repeats = "5", out, devices = "cuda:0";
    std::string blocks = "2048,4096,8192";
};

int bench_routines(const Level3Flags& flags) {
    const int gpu = gpu_of(flags.devices);
    Level3Setup setup;
    setup.devices = flags.devices;
    setup.n = parse_between(flags.n, "--n", 1, 1 << 20);
    setup.repeats = static_cast<int>(parse_between(flags.repeats, "--repeats", 1, 1000));
    setup.cases = flags.cases;
    setup.blocks.clear();
    for (const std::string& block : split(flags.blocks, ','))
        setup.blocks.push_back(static_cast<int>(parse_between(block, "--blocks", 1, 1 << 20)));
    const auto told = [](const Level3Result& r) {
        say(fmt::format("{}: {}", name_of(r.one), human_seconds(r.seconds(Who::ours))));
    };
    const std::vector<Level3Result> results = bench_level3(setup, peers_library, gpu, told);
    if (!flags.out.empty())
        named("--out", [&] { write_file(flags.out, to_json(results, setup).dump(2) + "\n"); });
    fmt::print("{}", to_text(results, setup.n));
    return std::ranges::all_of(results, &Level3Result::right) ? ok : failed;
}

}  // namespace

void add_bench_level3(CLI::App& parent, Action& action) {
    CLI::App* sub =
        parent.add_subcommand("level3", "the other routines, with cuBLAS in the same run");
    sub->footer(footer);
    const auto flags = std::make_shared<Level3Flags>();
    sub->add_option("--n", flags->n, "rows and columns of all matrices; default 16384");
    sub->add_option("--cases", flags->cases, "routines: syrk,trsm; default all");
    sub->add_option("--repeats", flags->repeats, "timed calls of each; default 5");
    sub->add_option("--blocks", flags->blocks, "of cuBLASXt; default 2048,4096,8192");
    sub->add_option("--devices", flags->devices, "cuda:N; default cuda:0");
    sub->add_option("--out", flags->out, "file for all numbers as JSON");
    sub->callback([flags, &action] { action = [flags] { return bench_routines(*flags); }; });
}

}  // namespace gemmill::command
