// SPDX-License-Identifier: Apache-2.0
#include "bench/joined.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "api/state.hpp"
#include "base/text.hpp"
#include "bench/subcommands.hpp"
#include "check/product_error.hpp"
#include "command/console.hpp"
#include "command/values.hpp"
#include "gemmill/gemm.hpp"
#include "random/arrays.hpp"

namespace gemmill::command {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* joined_footer =
    "Examples:\n"
    "  gemmill bench joined --n 16384,32768\n"
    "  gemmill bench joined --n 16384 --busy 8 --out busy.json\n"
    "\nC = A B with random doubles, in turn by the GPU alone, as planned (best) and as it goes\n"
    "(dynamic), by GPU and CPU, split as planned and as it goes, and by the CPU alone, which "
    "makes\n"
    "a smaller product; medians; every way is checked. --busy keeps cores busy meanwhile.";

struct JoinedFlags {
    std::string n = "16384,32768", repeats = "7", devices = "cuda:0", busy = "0", out;
    bool pageable = false;
};

/// The ratio of dynamic is learnt in a few calls, and the first one of a class pays for memory.
constexpr int calls_to_learn = 8;
/// A CPU takes seconds for more.
constexpr index_t most_alone = 8192;

/// Threads that do nothing but use cores, as another program would.
class BusyCores {
  public:
    explicit BusyCores(int count) {
        for (int i = 0; i < count; ++i)
            threads_.emplace_back([](const std::stop_token& stop) {
                while (!stop.stop_requested()) {
                }
            });
    }

  private:
    std::vector<std::jthread> threads_;
};

class JoinedBench {
  public:
    JoinedBench(const JoinedFlags& flags, index_t n)
        : repeats_(static_cast<int>(parse_between(flags.repeats, "--repeats", 1, 1000))),
          where_(flags.pageable ? Where::pageable : Where::pinned) {
        const std::string both = flags.devices + "+cpu";
        result_.n = n;
        result_.busy = static_cast<int>(parse_between(flags.busy, "--busy", 0, 1024));
        open(result_.alone, {"GPU alone", flags.devices, "best", n});
        open(result_.goes, {"GPU alone, as it goes", flags.devices, "dynamic", n});
        open(result_.planned, {"split as planned", both, "best", n});
        open(result_.both, {"split as it goes", both, "dynamic", n});
        open(result_.cpu, {"CPU alone", "cpu", "best", std::min(n, most_alone)});
        arrays_.emplace(*runs_.front().context);
        for (const std::size_t o : {0U, 1U, 2U}) {
            arrays_->grow(where_, o, static_cast<std::size_t>(n * n) * sizeof(double));
            arrays_->fill(where_, o, Type::d);
        }
    }

    JoinedResult run() {
        const BusyCores busy(result_.busy);
        for (Run& one : runs_) warm_up(one);
        for (int i = 0; i < repeats_; ++i)
            for (Run& one : runs_) {
                const bool slow = one.way == &result_.cpu && i > 1;
                if (!slow) one.way->samples.push_back(seconds_of([&] { multiply(one); }));
            }
        for (Run& one : runs_) {
            one.way->part = one.context->state().contribution.part();
            if (one.way == &result_.planned || one.way == &result_.both)
                result_.known += fmt::format("  {}: {}\n", one.way->name,
                                             one.context->machine().devices.back().origin);
        }
        return result_;
    }

  private:
    struct Run {
        JoinedWay* way;
        std::unique_ptr<Context> context;
    };

    void open(JoinedWay& way, JoinedWay as) {
        way = std::move(as);
        Options options = Options::from_environment();
        options.devices = way.devices;
        options.policy = way.policy;
        runs_.push_back({&way, std::make_unique<Context>(options)});
    }

    void warm_up(Run& one) {
        const bool learns = one.way == &result_.both;
        for (int i = 0; i < (learns ? calls_to_learn : 1); ++i) multiply(one);
        GemmArgs args;
        args.m = args.n = args.k = args.lda = args.ldb = args.ldc = one.way->n;
        args.alpha = {1, 0};
        args.a = data(0), args.b = data(1), args.c = data(2);
        one.way->error = product_error(args, seeds[2]);
    }

    double* data(std::size_t operand) {
        return reinterpret_cast<double*>(arrays_->data(where_, operand));
    }

    void multiply(Run& one) {
        const index_t n = one.way->n;
        gemm(*one.context, Layout::ColMajor, Op::NoTrans, Op::NoTrans, n, n, n, 1.0, data(0), n,
             data(1), n, 0.0, data(2), n);
    }

    const int repeats_;
    const Where where_;
    JoinedResult result_;
    std::vector<Run> runs_;
    std::optional<BenchArrays> arrays_;
};

int bench_joined(const JoinedFlags& flags) {
    bool right = true;
    Json json = Json::array();
    gpu_of(flags.devices);
    for (const std::string& word : split(flags.n, ',')) {
        const index_t n = parse_between(word, "--n", 1, 1 << 20);
        const JoinedResult result = JoinedBench(flags, n).run();
        fmt::print("{}", to_text(result));
        json.push_back(to_json(result));
        right = right && result.right();
    }
    if (!flags.out.empty()) write_file(flags.out, json.dump(2) + "\n");
    return right ? ok : failed;
}

double flops_of(index_t n) {
    const auto edge = static_cast<double>(n);
    return 2 * edge * edge * edge;
}

std::string verdict(bool holds) { return holds ? "reached" : "missed"; }

}  // namespace

double JoinedWay::rate() const { return flops_of(n) / seconds(); }

bool JoinedResult::right() const {
    return std::ranges::all_of(ways(), [](const JoinedWay* way) { return way->error <= 1; });
}

std::string to_text(const JoinedResult& result) {
    Table table;
    table.row({"", "n", "seconds", "rate", "of GPU alone", "by the CPU", "check"});
    for (const JoinedWay* way : result.ways())
        table.row({way->name, std::to_string(way->n), human_seconds(way->seconds()),
                   human_flops(way->rate()),
                   fmt::format("{:.4f}", way->rate() / result.alone.rate()),
                   fmt::format("{:.1f} %", 100 * way->part), way->error <= 1 ? "right" : "WRONG"});
    const double planned = result.reached(result.planned), goes = result.reached(result.both);
    const double most = std::max(planned, goes), least = std::min(planned, goes);
    return fmt::format(
        "n = {}, {} cores busy with something else\nthe CPU beside the GPU, as measured when "
        "opened\n"
        "{}{}"
        "CPU / GPU {:.4f}; bar 1.0 + 0.7 x that = {:.4f}: {} with {:.4f}\n"
        "never under 0.995: {} with {:.4f}\n"
        "as it goes not slower than the GPU alone ({:.4f}) and than as planned ({:.4f}): {}\n\n",
        result.n, result.busy, result.known, table.text("  "), result.ratio(), result.bar(),
        verdict(most >= result.bar()), most, verdict(least >= 0.995), least, goes, planned,
        verdict(goes >= 1 && goes >= planned));
}

Json to_json(const JoinedResult& result) {
    Json json{{"n", result.n},       {"busy", result.busy},
              {"cpu", result.known}, {"cpu_over_gpu", result.ratio()},
              {"bar", result.bar()}, {"ways", Json::array()}};
    for (const JoinedWay* way : result.ways())
        json["ways"].push_back({{"name", way->name},
                                {"devices", way->devices},
                                {"policy", way->policy},
                                {"n", way->n},
                                {"seconds", way->samples},
                                {"cpu_part", way->part},
                                {"right", way->error <= 1}});
    return json;
}

void add_bench_joined(CLI::App& parent, Action& action) {
    CLI::App* sub = parent.add_subcommand("joined", "GPU and CPU on one product");
    sub->footer(joined_footer);
    const auto flags = std::make_shared<JoinedFlags>();
    sub->add_option("--n", flags->n, "rows and columns of all matrices; default 16384,32768");
    sub->add_option("--repeats", flags->repeats, "timed calls of each; default 7");
    sub->add_option("--devices", flags->devices, "cuda:N; default cuda:0");
    sub->add_option("--busy", flags->busy, "cores that are kept busy meanwhile; default 0");
    sub->add_option("--out", flags->out, "file for the figures, as JSON");
    sub->add_flag("--pageable", flags->pageable, "matrices in memory that is not pinned");
    sub->callback([flags, &action] { action = [flags] { return bench_joined(*flags); }; });
}

}  // namespace gemmill::command
