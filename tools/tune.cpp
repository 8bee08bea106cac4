// SPDX-License-Identifier: Apache-2.0
// gemmill tune batch: times every kernel for batches that is compiled in, checks it, and writes the
// table by which the library picks them.
#include "tune.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <limits>
#include <map>

#include "base/text.hpp"
#include "batch/space.hpp"
#include "common.hpp"
#include "stamp.hpp"

namespace gemmill::command {
namespace {

Type type_of_letter(char letter) {
    const std::size_t type = std::string_view("sdcz").find(letter);
    require(type != std::string_view::npos, Code::bad_argument, "letters of s, d, c, z",
            fmt::format("--types: '{}'", letter));
    return static_cast<Type>(type);
}

constexpr const char* footer =
    "Examples:\n"
    "  gemmill tune batch --out batch_sm90.table\n"
    "  gemmill tune batch --types d --out d.table\n"
    "  gemmill tune batch --types d --space --list\n"
    "\nThe table is src/kernel/cuda/batch_sm90.table; what is built next uses it.";

struct Flags {
    std::string types = "sdcz", out, devices = "cuda:0";
    bool space = false, list = false;
};

/// What each rule removes of all pipelines that the template could make.
int show_space(const Flags& flags) {
    for (const char letter : flags.types) {
        const Type type = type_of_letter(letter);
        const Space space = pipe_space(type);
        Table table;
        table.row({"rule", "", "removes"});
        for (const auto& rule : space.removed)
            table.row({rule.words, rule.is_hard ? "hard" : "soft", fmt::format("{}", rule.count)});
        fmt::print("{}: {} candidates\n{}{} are left\n", letter, space.all, table.text(),
                   space.left.size());
        for (const PipeCandidate& c : space.left)
            if (flags.list) fmt::print("{}\n", to_text(c));
    }
    return ok;
}

const std::vector<index_t> edges{1,  2,  3,  4,  5,  6,  8,  12, 16, 20, 24,  28,  31, 32,
                                 36, 40, 44, 48, 56, 63, 64, 72, 80, 96, 112, 127, 128};

int tune_batch(const Flags& flags) {
    require(flags.devices.starts_with("cuda:"), Code::bad_argument, "cuda:N",
            fmt::format("--devices: '{}'", flags.devices));
    const int gpu = static_cast<int>(parse_integer(flags.devices.substr(5), "--devices"));
    BatchBench bench(flags.devices, gpu, std::size_t{256} << 20, 3, true);
    std::vector<BatchResult> measured;
    for (const char letter : flags.types) {
        const Type type = type_of_letter(letter);
        for (const BatchKind kind : {BatchKind::strided, BatchKind::pointers})
            for (const index_t n : edges)
                for (const index_t k : {index_t{8}, n}) {
                    if (k == 8 && n <= 16) continue;
                    measured.push_back(
                        bench.run({kind, type, Op::NoTrans, Op::NoTrans, n, n, k, false, 0}, true));
                    fmt::print("{}", to_text(measured.back()));
                }
    }
    const std::string table = table_of(
        measured, fmt::format("{}, {}, gemmill tune batch.", bench.gpu_name(), bench::now()));
    if (!flags.out.empty()) named("--out", [&] { write_file(flags.out, table); });
    fmt::print("{}", table);
    return std::ranges::all_of(measured, &BatchResult::right) ? ok : failed;
}

}  // namespace

std::string to_text(const BatchResult& r) {
    std::vector<BatchTiming> all = r.timings;
    std::ranges::sort(all, {}, &BatchTiming::seconds);
    std::string text = name_of(r.one) + ":";
    for (const BatchTiming& t : all)
        text += !t.fault.empty() ? fmt::format(" {} failed", t.who)
                                 : fmt::format(" {} {:.2f}{}", t.who, 1e-12 * r.bytes / t.seconds,
                                               t.error <= 1 ? "" : " WRONG");
    return text + "\n";
}

std::string table_of(const std::vector<BatchResult>& measured, const std::string& origin) {
    constexpr double near_best = 1.05;
    const auto near = [&](const BatchResult& r) {
        std::vector<std::string> names;
        double best = std::numeric_limits<double>::infinity();
        const auto counts = [](const BatchTiming& t) { return t.fault.empty() && t.error <= 1; };
        for (const BatchTiming& t : r.timings)
            if (counts(t)) best = std::min(best, t.seconds);
        for (const BatchTiming& t : r.timings)
            if (counts(t) && t.seconds <= near_best * best) names.push_back(t.who);
        return names;
    };
    // How often a kernel is near the best, by type: of several that are, the most frequent is
    // taken.
    std::map<std::pair<Type, std::string>, int> often;
    for (const BatchResult& r : measured)
        for (const std::string& name : near(r)) ++often[{r.one.type, name}];
    std::string text = fmt::format("# {}\n", origin);
    for (const BatchResult& r : measured) {
        std::vector<std::string> names = near(r);
        if (names.empty()) continue;
        const auto best = std::ranges::max_element(names, {}, [&](const std::string& name) {
            return often[{r.one.type, name}];
        });
        text += fmt::format("{} {} {} {} {}\n", letter_of(r.one.type),
                            r.one.kind == BatchKind::strided ? "strided" : "pointers", r.one.m,
                            r.one.k, *best);
    }
    for (const char letter : std::string_view("sdcz"))
        if (std::ranges::any_of(
                measured, [&](const BatchResult& r) { return letter_of(r.one.type) == letter; }))
            text += fmt::format("{} any * * cublas\n", letter);
    return text;
}

void add_tune(CLI::App& app, Action& action) {
    CLI::App* parent = app.add_subcommand("tune", "Find the fastest kernels on a GPU");
    parent->footer(footer);
    parent->require_subcommand(1);
    CLI::App* sub = parent->add_subcommand("batch", "kernels for many small products");
    sub->footer(footer);
    const auto flags = std::make_shared<Flags>();
    sub->add_option("--types", flags->types, "letters of s, d, c, z; default all");
    sub->add_option("--devices", flags->devices, "cuda:N; default cuda:0");
    sub->add_option("--out", flags->out, "file for the table");
    sub->add_flag("--space", flags->space, "only say what each rule removes of all candidates");
    sub->add_flag("--list", flags->list, "with --space: also those that are left");
    sub->callback([flags, &action] {
        action = [flags] { return flags->space ? show_space(*flags) : tune_batch(*flags); };
    });
}

}  // namespace gemmill::command
