// SPDX-License-Identifier: Apache-2.0
// gemmill bench batch: batched products beside those of cuBLAS, or of a loop over the host BLAS.
#include "bench/batch/batch.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <map>

#include "base/text.hpp"
#include "bench/subcommands.hpp"
#include "command/console.hpp"
#include "command/values.hpp"
#include "gemmill/version.hpp"
#include "pictures/figure.hpp"
#include "stamp.hpp"

namespace gemmill::command {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* footer =
    "Examples:\n"
    "  gemmill bench batch --peers --out batch.json --svg batch.svg\n"
    "  gemmill bench batch --devices cpu --peers\n"
    "  gemmill bench batch --cases \"d strided nn 16,variable\"\n"
    "  gemmill bench batch --peers --random 300 --seed 7 --few --out random.json --svg random.svg\n"
    "\nC = 1.1 A B + 0.9 C with random matrices; medians; products of every contender are checked.";

struct Flags {
    bool peers = false, quick = false, few = false;
    std::string cases, out, svg, svg_variable, devices = "cuda:0";
    std::string random, seed = "1", types = "dsczh";
    bool unfitted = false;
};

double ratio(const BatchResult& r) {
    const BatchTiming* peer = r.peer();
    return peer == nullptr || !peer->fault.empty() || !r.timings[0].fault.empty()
               ? std::nan("")
               : peer->seconds / r.timings[0].seconds;
}

std::string number(double value, const char* text = "-") {
    return std::isnan(value) ? text : fmt::format("{:.2f}", value);
}

/// Of cases alike but for their size, those where we are slowest beside the peer.
std::string worst_of(const BatchReport& report) {
    std::map<std::string, const BatchResult*> worst;
    for (const BatchResult& r : report.results) {
        const double found = ratio(r);
        if (std::isnan(found)) continue;
        const std::string name = name_of(r.one), kind = name.substr(0, name.rfind(' '));
        const BatchResult*& least = worst[r.one.kind == BatchKind::variable ? "variable" : kind];
        if (least == nullptr || found < ratio(*least)) least = &r;
    }
    std::string text;
    for (const auto& [kind, r] : worst)
        text += fmt::format("slowest of {}: {} {:.2f}\n", kind, name_of(r->one), ratio(*r));
    return text;
}

std::vector<std::string> row(const BatchReport& report, const BatchResult& r) {
    const double seconds = r.timings[0].seconds, found = ratio(r);
    const bool asked = r.one.asked > 0 && !std::isnan(found);
    return {name_of(r.one),
            fmt::format("{}", r.count),
            human_seconds(seconds),
            fmt::format("{:.3f}", 1e-12 * r.bytes / seconds),
            std::isnan(report.copy) ? "-" : percent(r.bytes / seconds / report.copy),
            fmt::format("{:.3f}", 1e-12 * r.flops / seconds),
            r.peer() != nullptr ? r.peer()->who : "-",
            number(found),
            r.one.asked > 0 ? fmt::format("{:.2f}", r.one.asked) : "-",
            asked ? (found >= r.one.asked ? "yes" : "NO") : "-",
            r.right() ? "yes" : "NO"};
}

bool has_words(const std::string& name, const std::string& words) {
    for (const std::string& word : split(words, ' '))
        if (!word.empty() && (" " + name + " ").find(" " + word + " ") == std::string::npos)
            return false;
    return true;
}

std::vector<BatchBenchCase> chosen_cases(const Flags& flags) {
    const bool on_cpu = flags.devices == "cpu";
    if (!flags.random.empty()) {
        const index_t largest = on_cpu ? 64 : 128;
        return random_batch_cases({static_cast<int>(parse_at_least(flags.random, "--random", 1)),
                                   static_cast<unsigned>(parse_at_least(flags.seed, "--seed", 0)),
                                   largest, flags.types, flags.few, !on_cpu});
    }
    std::vector<BatchBenchCase> all = batch_cases(on_cpu, flags.quick);
    if (flags.cases.empty()) return all;
    std::erase_if(all, [&](const BatchBenchCase& one) {
        for (const std::string& words : split(flags.cases, ','))
            if (has_words(name_of(one), words)) return false;
        return true;
    });
    require(!all.empty(), Code::bad_argument, "words of their names",
            fmt::format("--cases: {} chooses none", shown(flags.cases)));
    return all;
}

int gpu_number(const std::string& devices) { return devices == "cpu" ? -1 : gpu_of(devices); }

int bench_batch(const Flags& flags) {
    const std::vector<BatchBenchCase> cases = chosen_cases(flags);
    const int gpu = gpu_number(flags.devices);
    const std::size_t room = flags.quick ? std::size_t{4} << 20
                             : gpu < 0   ? std::size_t{8} << 20
                                         : std::size_t{512} << 20;
    BatchBench bench(flags.devices, gpu, room, flags.quick ? 2 : 7, flags.peers,
                     !flags.quick && !flags.unfitted);
    BatchReport report{flags.devices, bench.gpu_name(), bench.copy_rate(), {}};
    bool right = true;
    // What is there is kept, should the rest not come.
    constexpr std::size_t some = 64;
    const auto save = [&] {
        if (!flags.out.empty())
            named("--out", [&] { write_file(flags.out, to_json(report).dump(2) + "\n"); });
    };
    for (const BatchBenchCase& one : cases) {
        report.results.push_back(bench.run(one));
        right &= report.results.back().right();
        if (report.results.size() % some == 0) save();
    }
    save();
    fmt::print("{}", to_text(report));
    if (!flags.random.empty()) fmt::print("{}", summary_of_random(report));
    if (!flags.svg.empty())
        named("--svg", [&] {
            write_file(flags.svg, flags.random.empty() ? draw(report) : draw_ratios(report));
        });
    if (!flags.svg_variable.empty())
        named("--svg-variable", [&] { write_file(flags.svg_variable, draw_variable(report)); });
    return right ? ok : failed;
}

}  // namespace

std::string to_text(const BatchReport& report) {
    Table table;
    table.row({"case", "products", "time", "TB/s", "of copy", "TFLOP/s", "peer", "ratio", "asked",
               "holds", "right"});
    std::string faults;
    for (const BatchResult& r : report.results) {
        table.row(row(report, r));
        for (const BatchTiming& t : r.timings)
            if (!t.fault.empty())
                faults += fmt::format("{}: {} did not run: {}\n", name_of(r.one), t.who, t.fault);
            else if (!(t.error <= 1))
                faults +=
                    fmt::format("{}: {} is WRONG: error {:.3g}\n", name_of(r.one), t.who, t.error);
    }
    const std::string head = report.gpu.empty()
                                 ? fmt::format("{}, {}\n", report.devices, bench::cpu_name())
                                 : fmt::format("{}, {}, copy {:.2f} TB/s read and written\n",
                                               report.gpu, report.devices, 1e-12 * report.copy);
    return head + table.text() + worst_of(report) + faults;
}

Json to_json(const BatchReport& report) {
    Json json{{"version", GEMMILL_VERSION},
              {"time", bench::now()},
              {"cpu", bench::cpu_name()},
              {"gpu", report.gpu},
              {"devices", report.devices}};
    if (!std::isnan(report.copy)) json["copy_bytes_per_second"] = report.copy;
    for (const BatchResult& r : report.results) {
        Json one{{"case", name_of(r.one)}, {"products", r.count},  {"bytes", r.bytes},
                 {"flops", r.flops},       {"asked", r.one.asked}, {"right", r.right()}};
        if (const double found = ratio(r); !std::isnan(found)) one["ratio"] = found;
        for (const BatchTiming& t : r.timings)
            one["timings"].push_back(
                {{"who", t.who}, {"seconds", t.seconds}, {"error", t.error}, {"fault", t.fault}});
        json["results"].push_back(one);
    }
    return json;
}

namespace {

/// A line for each name; naming: what a contender is called, "" where it is left out.
template <class Naming, class Value>
std::vector<Line> lines_of(const BatchReport& report, Naming naming, Value value) {
    std::map<std::string, Line> lines;
    for (const BatchResult& r : report.results) {
        for (const BatchTiming& t : r.timings) {
            const std::string name = naming(r.one, t.who);
            if (!t.fault.empty() || name.empty()) continue;
            Line& line = lines[name];
            line.name = name;
            line.points.push_back({static_cast<double>(r.one.m), 1e-12 * value(r) / t.seconds});
        }
    }
    std::vector<Line> all;
    for (auto& [name, line] : lines) all.push_back(std::move(line));
    return all;
}

}  // namespace

std::string draw(const BatchReport& report) {
    LineChart chart{"Batched DGEMM, n x n x n", "n", "TB/s of memory traffic", {}};
    chart.lines = lines_of(
        report,
        [](const BatchBenchCase& one, const std::string& who) -> std::string {
            if (one.type != Type::d || one.kind == BatchKind::variable || one.m != one.k ||
                one.op_a != Op::NoTrans || one.op_b != Op::NoTrans)
                return "";
            const bool is_strided = one.kind == BatchKind::strided;
            if (who == "ours") return is_strided ? "ours, strided" : "ours, pointers";
            return is_strided && who == "cuBLAS pointers" ? "" : who;
        },
        [](const BatchResult& r) { return r.bytes; });
    if (!std::isnan(report.copy)) chart.level = Level{"copy", 1e-12 * report.copy};
    return draw(chart);
}

std::string draw_variable(const BatchReport& report) {
    LineChart chart{"Batched DGEMM, m, n and k between 1 and max", "max", "TFLOP/s", {}};
    chart.lines = lines_of(
        report,
        [](const BatchBenchCase& one, const std::string& who) -> std::string {
            const bool gaussian = one.spread == BatchSpread::gaussian;
            if (one.type != Type::d || one.kind != BatchKind::variable || one.m != one.k ||
                (!gaussian && one.spread != BatchSpread::even))
                return "";
            return (who == "ours" ? "ours, " : "grouped, ") +
                   std::string(gaussian ? "Gaussian" : "even");
        },
        [](const BatchResult& r) { return r.flops; });
    // No batch is faster than its traffic at the rate of a copy.
    Line roof{"as a copy, even", {}};
    for (const BatchResult& r : report.results)
        if (r.one.type == Type::d && r.one.kind == BatchKind::variable && r.one.m == r.one.k &&
            r.one.spread == BatchSpread::even)
            roof.points.push_back(
                {static_cast<double>(r.one.m), 1e-12 * r.flops / r.bytes * report.copy});
    if (!std::isnan(report.copy)) chart.lines.push_back(roof);
    return draw(chart);
}

void add_bench_batch(CLI::App& parent, Action& action) {
    CLI::App* sub =
        parent.add_subcommand("batch", "many small products, with peers in the same run");
    sub->footer(footer);
    const auto flags = std::make_shared<Flags>();
    sub->add_flag("--peers", flags->peers, "also time cuBLAS, or a loop over the host BLAS");
    sub->add_option("--cases", flags->cases, "those with these words; a comma is an or");
    sub->add_option("--devices", flags->devices, "cpu or cuda:N; default cuda:0");
    sub->add_option("--random", flags->random, "so many random shapes instead of the cases");
    sub->add_option("--seed", flags->seed, "of the random shapes; default 1");
    sub->add_option("--types", flags->types, "of the random shapes; default dsczh");
    sub->add_flag("--few", flags->few, "also 1, 10, 100 and 1000 products of each random shape");
    sub->add_flag("--unfitted", flags->unfitted,
                  "time ours as it is before kernels are fitted to the shapes");
    sub->add_flag("--quick", flags->quick, "few and small: does it run, is it right?");
    sub->add_option("--out", flags->out, "file for all numbers as JSON");
    sub->add_option("--svg", flags->svg, "file for TB/s over n as a picture");
    sub->add_option("--svg-variable", flags->svg_variable,
                    "file for TFLOP/s of mixed sizes as a picture");
    sub->callback([flags, &action] { action = [flags] { return bench_batch(*flags); }; });
}

}  // namespace gemmill::command
