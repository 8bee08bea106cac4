// SPDX-License-Identifier: Apache-2.0
// gemmill tune batch: makes candidates of the kernels for batches, compiles, times and checks them
// beside those that are compiled in and cuBLAS, and writes the table by which the library picks
// them, and what is to be compiled in.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <optional>
#include <thread>

#include "backend/plugin.hpp"
#include "base/environment.hpp"
#include "base/text.hpp"
#include "command/console.hpp"
#include "command/subcommands.hpp"
#include "command/values.hpp"
#include "stamp.hpp"
#include "tune/build.hpp"
#include "tune/costs.hpp"
#include "tune/rank.hpp"
#include "tune/shapes.hpp"
#include "tune/times.hpp"

namespace gemmill::command {
namespace {

constexpr const char* footer =
    "Examples:\n"
    "  gemmill tune batch --types d --sizes 32,48,64 --out sm90.table --kernels .\n"
    "  gemmill tune batch --types d --build-only --folder candidates\n"
    "  gemmill tune batch --types d --run-only --folder candidates --out d.table\n"
    "  gemmill tune batch --most 0 --out sm90.table\n"
    "  gemmill tune batch --types d --space --list\n"
    "  gemmill tune batch --random 400 --seed 2 --types dszc --out sm90.costs\n"
    "\ndocs/howto/tune-batches.md says what to do with what it writes.";

struct Flags {
    std::string types = "sdcz", out, kernels, devices = "cuda:0";
    std::string sizes =
        "1,2,3,4,5,6,8,12,16,20,24,28,31,32,36,40,44,48,56,63,64,72,80,96,112,127,128";
    std::string ops = "nn", folder, source, table, arch = "sm_90";
    std::string most = "12", keep = "5", jobs;
    std::string random, seed = "1", times, from, judge;
    bool space = false, list = false, build_only = false, run_only = false, few = false,
         only_few = false;
};

std::vector<Type> types_of(const Flags& flags) {
    const bool random = !flags.random.empty() || !flags.from.empty();
    const std::string_view known = random ? "sdczhb" : "sdcz";
    std::vector<Type> types;
    for (const char letter : flags.types) {
        const std::size_t type = known.find(letter);
        require(type != std::string_view::npos, Code::bad_argument,
                random ? "letters of s, d, c, z, h, b" : "letters of s, d, c, z",
                fmt::format("--types: {}", shown({&letter, 1})));
        types.push_back(static_cast<Type>(type));
    }
    return types;
}

/// What each rule removes of all that a template could make.
int show_space(const Flags& flags) {
    for (const Type type : types_of(flags))
        for (const auto& [name, space] :
             {std::pair{"pipelines", pipe_space(type)}, std::pair{"warps", warp_space(type)}}) {
            Table table;
            table.row({"rule", "", "removes"});
            for (const auto& rule : space.removed)
                table.row(
                    {rule.words, rule.is_hard ? "hard" : "soft", fmt::format("{}", rule.count)});
            fmt::print("{}, {}: {} candidates\n{}{} are left\n", letter_of(type), name, space.all,
                       table.text(), space.left.size());
            for (const PipeCandidate& c : space.left)
                if (flags.list) fmt::print("{}\n", gemmill::to_text(c));
        }
    return ok;
}

std::vector<index_t> sizes_of(const Flags& flags) {
    std::vector<index_t> sizes;
    for (const std::string& word : split(flags.sizes, ','))
        sizes.push_back(parse_between(word, "--sizes", 1, 4096));
    return sizes;
}

std::vector<std::pair<Op, Op>> ops_of(const Flags& flags) {
    std::vector<std::pair<Op, Op>> all;
    for (const std::string& word : split(flags.ops, ',')) {
        require(word == "nn" || word == "nt" || word == "tn" || word == "tt", Code::bad_argument,
                "nn, nt, tn or tt", fmt::format("--ops: {}", shown(word)));
        const auto op = [](char letter) { return letter == 'n' ? Op::NoTrans : Op::Trans; };
        all.emplace_back(op(word[0]), op(word[1]));
    }
    return all;
}

std::string folder_of(const Flags& flags) {
    if (!flags.folder.empty()) return flags.folder;
    const std::string cache = cache_folder();
    require(!cache.empty(), Code::io, "--folder",
            "no folder for candidates: neither XDG_CACHE_HOME nor HOME is set");
    return cache + "/gemmill/candidates";
}

int jobs_of(const Flags& flags) {
    const auto cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    return flags.jobs.empty() ? cores
                              : static_cast<int>(parse_between(flags.jobs, "--jobs", 1, 1024));
}

std::size_t count_of(const std::string& text, const char* flag) {
    return static_cast<std::size_t>(parse_between(text, flag, 0, 1'000'000));
}

void build_all(const Flags& flags, Type type, const std::vector<TuneShape>& shapes) {
    build(candidates_of(shapes), type, find_toolchain(flags.source, flags.arch),
          {folder_of(flags), jobs_of(flags)});
}

std::set<std::string> compiled_in(Type type) {
    std::string why;
    const GpuDriver* driver = gpu_driver(why);
    require(driver != nullptr, Code::no_device, "a GPU", why);
    std::set<std::string> names{"cublas"};
    GpuBatchKernel kernel{};
    for (int i = 0; driver->batch_kernel(type, i, &kernel); ++i) names.insert(kernel.name);
    return names;
}

/// Those of the loaded kernels that are candidates for a shape and not compiled in.
std::vector<MoreKernel> tried(const Loaded& loaded, const TuneShape& shape,
                              const std::set<std::string>& known) {
    std::vector<MoreKernel> some;
    for (const PipeCandidate& c : shape.candidates)
        for (const MoreKernel& kernel : loaded.kernels)
            if (kernel.name == name_of(c) && !known.contains(kernel.name)) some.push_back(kernel);
    return some;
}

struct Limits {
    std::vector<std::pair<Op, Op>> ops;
    std::size_t keep = 0;
};
struct Tuned {
    std::vector<BatchRow> rows;
    bool right = true;
};

Tuned tune(BatchBench& bench, const Loaded& loaded, const Limits& limits, Type type,
           const std::vector<TuneShape>& shapes) {
    const std::set<std::string> known = compiled_in(type);
    fmt::print("{}: {} kernels compiled in, {} candidates, {} more whose registers spill\n",
               letter_of(type), known.size() - 1, loaded.kernels.size(), loaded.spilled.size());
    std::vector<BatchResult> measured;
    std::size_t done = 0;
    const std::size_t all = shapes.size() * limits.ops.size() * 2;
    for (const TuneShape& of : shapes)
        for (const auto& [op_a, op_b] : limits.ops)
            for (const BatchKind kind : {BatchKind::strided, BatchKind::pointers}) {
                const auto& [m, n, k] = of.shape;
                measured.push_back(
                    bench.run({kind, type, op_a, op_b, m, n, k, BatchSpread::even, 0}, true,
                              tried(loaded, of, known)));
                fmt::print("[{}/{}] {}", ++done, all, to_text(measured.back()));
                flush_output();
            }
    std::set<std::string> names = winners(measured, type, known, limits.keep);
    fmt::print("{}: {} of the candidates are kept: {}\n", letter_of(type), names.size(),
               join({names.begin(), names.end()}, ", "));
    names.insert(known.begin(), known.end());
    return {rows_of(measured, type, names), std::ranges::all_of(measured, &BatchResult::right)};
}

/// Rows of --table, or of the table among the sources where they are there.
std::vector<BatchRow> old_rows(const Flags& flags) {
    std::string file = flags.table;
    if (file.empty() && !flags.source.empty())
        file = flags.source + "/src/kernel/cuda/tuned/sm90.table";
    if (file.empty()) return {};
    return named("--table", [&] {
        const BatchTable table = parse_batch_table(read_file(file));
        require(table.faults.empty(), Code::parse, "rows of a table",
                fmt::format("{}: {}", file, first_of(table.faults)));
        return table.rows;
    });
}

void open_gpu(const Flags& flags, std::optional<BatchBench>& bench) {
    const int gpu = gpu_of(flags.devices);
    named("--devices",
          [&] { bench.emplace(flags.devices, gpu, std::size_t{256} << 20, 3, false); });
}

/// Every flag, also one that is not needed for what is asked.
void require_sound(const Flags& flags) {
    types_of(flags);
    sizes_of(flags);
    ops_of(flags);
    jobs_of(flags);
    count_of(flags.most, "--most");
    count_of(flags.keep, "--keep");
    gpu_of(flags.devices);
}

/// Times of all kernels for random shapes, one line each; what is there is kept, should the rest
/// not come.
std::vector<BatchResult> time_random(const Flags& flags, BatchBench& bench) {
    constexpr std::size_t some = 32;
    const auto shapes = static_cast<int>(parse_at_least(flags.random, "--random", 1));
    const auto seed = static_cast<unsigned>(parse_at_least(flags.seed, "--seed", 0));
    std::vector<BatchResult> all;
    std::string text = fmt::format("# {}, {}, gemmill tune batch --random {} --seed {}\n",
                                   bench.gpu_name(), bench::now(), shapes, seed);
    const auto save = [&] {
        if (!flags.times.empty()) named("--times", [&] { write_file(flags.times, text); });
    };
    const bool few = flags.few || flags.only_few;
    for (BatchBenchCase one : random_batch_cases({shapes, seed, 128, flags.types, few})) {
        if (flags.only_few && one.count == 0) continue;
        one.bytes = std::min(one.bytes, 2e8);
        all.push_back(bench.run(one, true));
        text += times_line(all.back());
        if (all.size() % some == 0) save();
    }
    save();
    return all;
}

/// Times of files that --times has written, by commas.
std::vector<BatchResult> read_times(const std::string& files, const char* flag) {
    std::vector<BatchResult> all;
    for (const std::string& file : split(files, ',')) {
        const auto some = named(flag, [&] { return parse_times(read_file(file)); });
        all.insert(all.end(), some.begin(), some.end());
    }
    return all;
}

/// Costs from times of random shapes. How well they choose is said of shapes that they were not
/// fitted to: those of --judge, or each half by costs of the other.
int tune_random(const Flags& flags) {
    std::string why;
    const GpuDriver* driver = gpu_part(why);
    require(driver != nullptr, Code::no_device, "a build with CUDA", why);
    const BatchGpu gpu;
    const WorkOf work = [&](const Batch& x, const std::string& kernel, BatchWork& out) {
        if (!kernel.starts_with("cublas"))
            return driver->batch_work(x, kernel.c_str(), gpu.processors, &out);
        out = cublas_work(x, gpu.processors);
        return true;
    };
    std::vector<BatchResult> measured;
    if (flags.from.empty()) {
        std::optional<BatchBench> bench;
        open_gpu(flags, bench);
        measured = time_random(flags, *bench);
    } else {
        measured = read_times(flags.from, "--from");
    }
    const std::vector<BatchCosts> costs = costs_of(measured, work, gpu);
    const std::string text = costs_text(
        costs,
        flags.table.empty() ? std::vector<BatchCosts>{} : parse_all_costs(read_file(flags.table)),
        fmt::format("{}, gemmill tune batch --random, {} batches.", bench::now(), measured.size()));
    if (!flags.out.empty()) named("--out", [&] { write_file(flags.out, text); });
    fmt::print("{}", flags.judge.empty()
                         ? report_in_halves(measured, work, gpu)
                         : report_of(read_times(flags.judge, "--judge"), costs, work, gpu));
    return ok;
}

int tune_batch(const Flags& flags) {
    if (!flags.random.empty() || !flags.from.empty()) return tune_random(flags);
    require(!(flags.build_only && flags.run_only), Code::bad_argument, "one of the two",
            "--build-only and --run-only");
    const std::size_t most = count_of(flags.most, "--most");
    const Limits limits{ops_of(flags), count_of(flags.keep, "--keep")};
    const std::vector<BatchRow> old = old_rows(flags);
    const std::vector<Type> types = types_of(flags);
    // Before minutes of building, for without a GPU they would be lost.
    std::optional<BatchBench> gpu;
    if (!flags.build_only) open_gpu(flags, gpu);
    std::map<Type, std::vector<TuneShape>> shapes;
    for (const Type type : types) {
        shapes[type] = tune_shapes(type, sizes_of(flags), most);
        if (!flags.run_only && most > 0) build_all(flags, type, shapes[type]);
    }
    if (flags.build_only) return ok;
    BatchBench& bench = *gpu;
    const std::string origin =
        fmt::format("{}, {}, gemmill tune batch.", bench.gpu_name(), bench::now());
    Tuned all;
    for (const Type type : types) {
        Tuned one = tune(bench, load(folder_of(flags), type), limits, type, shapes[type]);
        all.rows.insert(all.rows.end(), one.rows.begin(), one.rows.end());
        all.right &= one.right;
        if (flags.kernels.empty()) continue;
        make_folder(flags.kernels);
        write_file(fmt::format("{}/tuned_{}.inc", flags.kernels, letter_of(type)),
                   instances_of(all.rows, type, origin));
    }
    const std::string table = table_of(all.rows, old, origin);
    if (!flags.out.empty()) named("--out", [&] { write_file(flags.out, table); });
    fmt::print("{}", table);
    return all.right ? ok : failed;
}

}  // namespace

void add_tune(CLI::App& app, Action& action) {
    CLI::App* parent = app.add_subcommand("tune", "Find the fastest kernels on a GPU");
    parent->footer(footer);
    parent->require_subcommand(1);
    CLI::App* sub = parent->add_subcommand("batch", "kernels for many small products");
    sub->footer(footer);
    const auto flags = std::make_shared<Flags>();
    sub->add_option("--types", flags->types,
                    "letters of s, d, c, z, with --random also h and b; default sdcz");
    sub->add_option("--sizes", flags->sizes, "m and n of the shapes that are timed");
    sub->add_option("--random", flags->random,
                    "fit costs to so many random shapes instead; --out is then a .costs file");
    sub->add_option("--seed", flags->seed, "of the random shapes");
    sub->add_flag("--few", flags->few, "also 1, 10, 100 and 1000 products of each random shape");
    sub->add_flag("--only-few", flags->only_few, "these alone");
    sub->add_option("--times", flags->times, "file for the times of all kernels for them");
    sub->add_option("--from", flags->from, "fit costs to such files, by commas; needs no GPU");
    sub->add_option("--judge", flags->judge, "files of other shapes, by which costs are judged");
    sub->add_option("--ops", flags->ops, "nn,nt,tn,tt; default nn, for rows of any ops");
    sub->add_option("--devices", flags->devices, "cuda:N; default cuda:0");
    sub->add_option("--most", flags->most, "candidates a shape; 0: only what is compiled in");
    sub->add_option("--keep", flags->keep,
                    "candidates of a type that may be compiled in; default 5");
    sub->add_option("--folder", flags->folder, "folder of candidates; default in the user's cache");
    sub->add_option("--source", flags->source, "source tree, for its headers and its table");
    sub->add_option("--arch", flags->arch, "what nvcc compiles for; default sm_90");
    sub->add_option("--jobs", flags->jobs, "compilers at a time; default all cores");
    sub->add_option("--table", flags->table, "table whose rows of other types are kept");
    sub->add_option("--out", flags->out, "file for the table");
    sub->add_option("--kernels", flags->kernels,
                    "folder for tuned_?.inc, what is to be compiled in");
    sub->add_flag("--build-only", flags->build_only, "only compile candidates; needs no GPU");
    sub->add_flag("--run-only", flags->run_only, "only run what is in --folder; needs no nvcc");
    CLI::Option* space =
        sub->add_flag("--space", flags->space, "only say what each rule removes of all candidates");
    sub->add_flag("--list", flags->list, "with --space: also those that are left")->needs(space);
    sub->callback([flags, &action] {
        action = [flags] {
            require_sound(*flags);
            return flags->space ? show_space(*flags) : tune_batch(*flags);
        };
    });
}

}  // namespace gemmill::command
