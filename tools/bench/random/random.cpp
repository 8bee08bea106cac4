// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "base/text.hpp"
#include "bench/random/report.hpp"
#include "bench/subcommands.hpp"
#include "command/console.hpp"
#include "command/values.hpp"

namespace gemmill::command {
namespace {

constexpr const char* footer =
    "Examples:\n"
    "  gemmill bench random --seed 7 --count 40 --out random.json\n"
    "  gemmill bench random --seed 7 --only 12\n"
    "  gemmill bench random --in-core --n 3001,9999\n"
    "  gemmill bench random --quick --no-peers --devices cpu:2\n"
    "\nAll routines of level 3, n from 3000 to 20000, odd and even, square and oblong, from "
    "pinned\n"
    "and pageable memory and in core; types s and d, or those of --types. The same seed gives the\n"
    "same cases.\n"
    "bound: share that is reached of what no plan on this machine can beat; x peer: seconds over\n"
    "ours of cuBLASXt with the block that stands beside it, in core of cuBLAS. Random data,\n"
    "medians; every contender is checked.\n"
    "--in-core: gemm (of doubles, or of --types) for each n and n + 1 with each op, the overhead "
    "of\n"
    "small calls, and four threads at once on one context against one alone.";

constexpr int quick_part = 16;  // of the sizes

struct RandomFlags {
    std::string seed = "1", count = "40", only, types, n = "3001,5001,9999,12345", repeats = "3",
                out, devices = "cuda:0";
    bool no_peers = false, quick = false, in_core = false;
};

std::vector<index_t> sizes_of(const RandomFlags& flags) {
    std::vector<index_t> sizes;
    for (const std::string& n : split(flags.n, ','))
        sizes.push_back(parse_between(n, "--n", 1, 40000) / (flags.quick ? quick_part : 1));
    return sizes;
}

/// Empty where cases have their own.
std::vector<Type> types_of(const RandomFlags& flags) {
    constexpr std::string_view known = "sdczhb";
    std::vector<Type> all;
    for (const char letter : flags.types) {
        const std::size_t at = known.find(letter);
        require(at != known.npos, Code::bad_argument, "types s, d, c, z, h and b",
                fmt::format("--types: unknown type '{}'", letter));
        all.push_back(static_cast<Type>(at));
    }
    return all;
}

std::vector<RandomCase> cases_in_core(const RandomFlags& flags) {
    std::vector<Type> types = types_of(flags);
    if (types.empty()) types = {Type::d};
    std::vector<RandomCase> all;
    for (const Type type : types)
        for (const RandomCase& one : core_cases(sizes_of(flags), type)) all.push_back(one);
    return all;
}

std::vector<RandomCase> random_cases(const RandomFlags& flags, std::uint64_t seed) {
    CaseLimits limits;
    if (flags.quick) limits = {limits.least / quick_part, limits.most / quick_part};
    const bool one = !flags.only.empty();
    const index_t first = one ? parse_at_least(flags.only, "--only", 0) : 0;
    const index_t end = one ? first + 1 : parse_between(flags.count, "--count", 1, 100000);
    const std::vector<Type> types = types_of(flags);
    std::vector<RandomCase> all;
    for (index_t i = first; i < end; ++i) {
        all.push_back(random_case(seed, static_cast<std::uint64_t>(i), limits));
        if (!types.empty())
            all.back() =
                in_type(all.back(), seed, types[static_cast<std::size_t>(i) % types.size()]);
    }
    // The arrays are filled anew where the type changes: once.
    std::ranges::stable_sort(all, {}, [](const RandomCase& x) { return x.problem.type; });
    return all;
}

RandomSetup setup_of(const RandomFlags& flags, std::uint64_t seed) {
    RandomSetup setup;
    setup.devices = flags.devices;
    setup.repeats = static_cast<int>(parse_between(flags.repeats, "--repeats", 1, 1000));
    setup.cases = flags.in_core ? cases_in_core(flags) : random_cases(flags, seed);
    if (flags.in_core) {
        setup.call_sizes = {100, 333, 1000};
        setup.thread_size = flags.quick ? 256 : 4096;
    }
    return setup;
}

/// Also after each case: a run that is stopped leaves what it has.
void save(const RandomReport& report, const std::string& path) {
    if (!path.empty()) named("--out", [&] { write_file(path, to_json(report).dump(2) + "\n"); });
}

void measure_extras(RandomBench& bench, const RandomSetup& setup, const RandomFlags& flags,
                    RandomReport& report) {
    if (!flags.no_peers)
        for (const index_t n : setup.call_sizes)
            report.calls.emplace_back(n, bench.measure_call(n, flags.quick ? 20 : 200));
    if (setup.thread_size > 0) report.threads = bench.measure_threads();
}

int bench_random(const RandomFlags& flags) {
    const int gpu = flags.no_peers ? 0 : gpu_of(flags.devices);
    const auto seed = static_cast<std::uint64_t>(parse_at_least(flags.seed, "--seed", 0));
    const RandomSetup setup = setup_of(flags, seed);
    RandomBench bench(setup, flags.no_peers ? nullptr : peers_library, gpu);
    RandomReport report{bench.gpu_name(), flags.devices, seed, setup.repeats};
    save(report, flags.out);
    measure_extras(bench, setup, flags, report);
    for (const RandomCase& one : setup.cases) {
        report.results.push_back(bench.run(one));
        const RandomResult& r = report.results.back();
        say(fmt::format("{} {}: {}", one.number, name_of(one),
                        r.right() ? human_seconds(r.ours()) : "failed"));
        save(report, flags.out);
    }
    fmt::print("{}", to_text(report));
    return all_right(report) ? ok : failed;
}

}  // namespace

void add_bench_random(CLI::App& parent, Action& action) {
    CLI::App* sub = parent.add_subcommand("random", "random calls of level 3, with cuBLASXt");
    sub->footer(footer);
    const auto flags = std::make_shared<RandomFlags>();
    sub->add_option("--seed", flags->seed, "of the cases; default 1");
    sub->add_option("--count", flags->count, "how many cases; default 40");
    sub->add_option("--only", flags->only, "the number of one case");
    sub->add_option("--types", flags->types,
                    "letters of sdczhb, in turn; default s and d by chance");
    sub->add_flag("--in-core", flags->in_core, "products on the GPU only, odd and even");
    sub->add_option("--n", flags->n, "of --in-core; default 3001,5001,9999,12345");
    sub->add_option("--repeats", flags->repeats, "timed calls of each; default 3");
    sub->add_flag("--no-peers", flags->no_peers, "ours alone, on any devices");
    sub->add_option("--devices", flags->devices, "cuda:N; default cuda:0");
    sub->add_flag("--quick", flags->quick, "small sizes: does it run, is it right?");
    sub->add_option("--out", flags->out, "file for all numbers as JSON");
    sub->callback([flags, &action] { action = [flags] { return bench_random(*flags); }; });
}

}  // namespace gemmill::command
