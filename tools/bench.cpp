// SPDX-License-Identifier: Apache-2.0
// gemmill bench gemm: ours and its peers on a GPU, in the same run.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "base/text.hpp"
#include "bench_dynamic.hpp"
#include "bench_joined.hpp"
#include "bench_level3.hpp"
#include "bench_random.hpp"
#include "bench_report.hpp"
#include "common.hpp"

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
constexpr const char* gemm_footer =
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

constexpr const char* level3_footer =
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

void add_level3(CLI::App& parent, Action& action) {
    CLI::App* sub =
        parent.add_subcommand("level3", "the other routines, with cuBLAS in the same run");
    sub->footer(level3_footer);
    const auto flags = std::make_shared<Level3Flags>();
    sub->add_option("--n", flags->n, "rows and columns of all matrices; default 16384");
    sub->add_option("--cases", flags->cases, "routines: syrk,trsm; default all");
    sub->add_option("--repeats", flags->repeats, "timed calls of each; default 5");
    sub->add_option("--blocks", flags->blocks, "of cuBLASXt; default 2048,4096,8192");
    sub->add_option("--devices", flags->devices, "cuda:N; default cuda:0");
    sub->add_option("--out", flags->out, "file for all numbers as JSON");
    sub->callback([flags, &action] { action = [flags] { return bench_routines(*flags); }; });
}

}  // namespace

void add_bench(CLI::App& app, Action& action) {
    CLI::App* parent = app.add_subcommand("bench", "Measure against peers on a GPU");
    parent->footer(footer);
    parent->require_subcommand(1);
    CLI::App* sub = parent->add_subcommand("gemm", "products, with cuBLAS in the same run");
    sub->footer(gemm_footer);
    const auto flags = std::make_shared<BenchFlags>();
    sub->add_flag("--peers", flags->peers, "also time cuBLASXt and copying all there and back");
    sub->add_option("--cases", flags->cases, "those with these words; a comma is an or");
    sub->add_option("--repeats", flags->repeats, "timed calls of each; default 5, quick 2");
    sub->add_option("--devices", flags->devices, "cuda:N; default cuda:0");
    sub->add_flag("--quick", flags->quick, "small sizes: does it run, is it right?");
    sub->add_option("--out", flags->out, "file for all numbers as JSON");
    sub->add_option("--svg", flags->svg, "file for TFLOP/s of the pinned squares as a picture");
    sub->callback([flags, &action] { action = [flags] { return bench_gemm(*flags); }; });
    add_level3(*parent, action);
    add_bench_batch(*parent, action);
    add_bench_random(*parent, action);
    add_bench_dynamic(*parent, action);
    add_bench_joined(*parent, action);
}

}  // namespace gemmill::command
