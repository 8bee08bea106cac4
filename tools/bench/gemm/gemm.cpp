// SPDX-License-Identifier: Apache-2.0
// gemmill bench gemm: ours and its peers on a GPU, in the same run.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "base/text.hpp"
#include "bench/gemm/report.hpp"
#include "bench/subcommands.hpp"
#include "command/console.hpp"
#include "command/values.hpp"

namespace gemmill::command {
namespace {

constexpr const char* footer =
    "Examples:\n"
    "  gemmill bench gemm --peers --out bench.json --svg bench.svg\n"
    "  gemmill bench gemm --cases \"pinned 4096,thin\"\n"
    "\nC = 1.1 A B + 0.9 C with random matrices; medians; every contender is checked.\n"
    "Names of cases: d pinned 4096, d pageable 16384, d at hh0 16384,\n"
    "d thin 65536x512x512, d pinned 16384 cap, d pinned 8192 shares 2.";

struct BenchFlags {
    bool peers = false, quick = false;
    std::string cases, repeats, out, svg, devices = "cuda:0";
};

BenchSetup setup_of(const BenchFlags& flags) {
    BenchSetup setup;
    setup.devices = flags.devices;
    setup.peers = flags.peers;
    setup.quick = flags.quick;
    setup.cases = bench_cases(flags.quick);
    setup.repeats = flags.quick ? 2 : 5;
    if (!flags.repeats.empty())
        setup.repeats = static_cast<int>(parse_between(flags.repeats, "--repeats", 1, 1000));
    if (!flags.cases.empty()) setup.cases = chosen(setup.cases, flags.cases);
    require(!setup.cases.empty(), Code::bad_argument, "words of their names",
            fmt::format("--cases: {} chooses none", shown(flags.cases)));
    require(flags.svg.empty() || std::ranges::any_of(setup.cases, is_drawn), Code::bad_argument,
            "a case such as 'd pinned 4096'", "--svg: nothing to draw");
    return setup;
}

/// Also after each case: a run that is stopped leaves what it has.
void save(const BenchReport& report, const std::string& path) {
    if (!path.empty()) named("--out", [&] { write_file(path, to_json(report).dump(2) + "\n"); });
}

void tell(const BenchResult& result) {
    const double seconds = result.seconds(Who::ours);
    say(fmt::format("{}: {}", name_of(result.one),
                    result.right() ? human_seconds(seconds) : "failed"));
}

int bench_gemm(const BenchFlags& flags) {
    const int gpu = gpu_of(flags.devices);
    BenchReport report;
    report.setup = setup_of(flags);
    Bench bench(report.setup, peers_library, gpu);
    report.gpu = bench.peers().gpu_name();
    report.default_block = bench.peers().default_block();
    report.rates = bench.measure_rates();
    report.call = bench.measure_call();
    save(report, flags.out);
    for (const BenchCase& one : report.setup.cases) {
        report.results.push_back(bench.run(one, report.rates));
        tell(report.results.back());
        save(report, flags.out);
    }
    fmt::print("{}", to_text(report));
    if (!flags.svg.empty()) named("--svg", [&] { write_file(flags.svg, draw(report)); });
    return all_right(report) ? ok : failed;
}

}  // namespace

void add_bench_gemm(CLI::App& parent, Action& action) {
    CLI::App* sub = parent.add_subcommand("gemm", "products, with cuBLAS in the same run");
    sub->footer(footer);
    const auto flags = std::make_shared<BenchFlags>();
    sub->add_flag("--peers", flags->peers, "also time cuBLASXt and copying all there and back");
    sub->add_option("--cases", flags->cases, "those with these words; a comma is an or");
    sub->add_option("--repeats", flags->repeats, "timed calls of each; default 5, quick 2");
    sub->add_option("--devices", flags->devices, "cuda:N; default cuda:0");
    sub->add_flag("--quick", flags->quick, "small sizes: does it run, is it right?");
    sub->add_option("--out", flags->out, "file for all numbers as JSON");
    sub->add_option("--svg", flags->svg, "file for TFLOP/s of the pinned squares as a picture");
    sub->callback([flags, &action] { action = [flags] { return bench_gemm(*flags); }; });
}

}  // namespace gemmill::command
