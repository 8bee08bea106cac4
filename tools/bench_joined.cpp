// SPDX-License-Identifier: Apache-2.0
#include "bench_joined.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "api/state.hpp"
#include "base/text.hpp"
#include "bench_arrays.hpp"
#include "bench_check.hpp"
#include "gemmill/gemm.hpp"

namespace gemmill::command {
namespace {

constexpr const char* joined_footer =
    "Examples:\n"
    "  gemmill bench joined --n 16384,32768\n"
    "  gemmill bench joined --n 16384 --pageable --repeats 9\n"
    "\nC = A B with random doubles, in turn by the GPU alone, by GPU and CPU as planned (best) and "
    "as\n"
    "they go (dynamic), and by the CPU alone; medians; every way is checked.";

struct JoinedFlags {
    std::string n = "16384,32768", repeats = "5", devices = "cuda:0";
    bool pageable = false;
};

/// The ratio of dynamic is learnt in a few calls, and the first one of a class pays for memory.
constexpr int calls_to_learn = 6;

class JoinedBench {
  public:
    JoinedBench(const JoinedFlags& flags, index_t n)
        : repeats_(static_cast<int>(parse_between(flags.repeats, "--repeats", 1, 1000))),
          where_(flags.pageable ? Where::pageable : Where::pinned) {
        const std::string both = flags.devices + "+cpu";
        result_ = {n,
                   {{"GPU alone", flags.devices, "best"},
                    {"split as planned", both, "best"},
                    {"split as it goes", both, "dynamic"},
                    {"CPU alone", "cpu", "best"}}};
        for (const JoinedWay& way : result_.ways) open(way);
        arrays_.emplace(*contexts_.front());
        for (const std::size_t o : {0U, 1U, 2U}) {
            arrays_->grow(where_, o, static_cast<std::size_t>(n * n) * sizeof(double));
            arrays_->fill(where_, o, Type::d);
        }
    }

    JoinedResult run() {
        for (std::size_t way = 0; way < contexts_.size(); ++way) warm_up(way);
        for (int i = 0; i < repeats_; ++i)
            for (std::size_t way = 0; way < contexts_.size(); ++way)
                result_.ways[way].samples.push_back(seconds_of([&] { multiply(way); }));
        for (std::size_t way = 0; way < contexts_.size(); ++way)
            result_.ways[way].part = contexts_[way]->state().contribution.part();
        return result_;
    }

  private:
    void open(const JoinedWay& way) {
        Options options = Options::from_environment();
        options.devices = way.devices;
        options.policy = way.policy;
        contexts_.push_back(std::make_unique<Context>(options));
    }

    void warm_up(std::size_t way) {
        const bool learns = result_.ways[way].policy == "dynamic";
        for (int i = 0; i < (learns ? calls_to_learn : 1); ++i) multiply(way);
        GemmArgs args;
        args.m = args.n = args.k = args.lda = args.ldb = args.ldc = result_.n;
        args.alpha = {1, 0};
        args.a = data(0), args.b = data(1), args.c = data(2);
        result_.ways[way].error = product_error(args, seeds[2]);
    }

    double* data(std::size_t operand) {
        return reinterpret_cast<double*>(arrays_->data(where_, operand));
    }

    void multiply(std::size_t way) {
        const index_t n = result_.n;
        gemm(*contexts_[way], Layout::ColMajor, Op::NoTrans, Op::NoTrans, n, n, n, 1.0, data(0), n,
             data(1), n, 0.0, data(2), n);
    }

    const int repeats_;
    const Where where_;
    JoinedResult result_;
    std::vector<std::unique_ptr<Context>> contexts_;
    std::optional<BenchArrays> arrays_;
};

int bench_joined(const JoinedFlags& flags) {
    bool right = true;
    gpu_of(flags.devices);
    for (const std::string& word : split(flags.n, ',')) {
        const index_t n = parse_between(word, "--n", 1, 1 << 20);
        const JoinedResult result = JoinedBench(flags, n).run();
        fmt::print("{}", to_text(result));
        for (const JoinedWay& way : result.ways) right = right && way.error <= 1;
    }
    return right ? ok : failed;
}

}  // namespace

std::string to_text(const JoinedResult& result) {
    Table table;
    table.row({"", "seconds", "rate", "of GPU alone", "by the CPU", "check"});
    const double flops = 2.0 * static_cast<double>(result.n) * static_cast<double>(result.n) *
                         static_cast<double>(result.n);
    for (std::size_t i = 0; i < result.ways.size(); ++i) {
        const JoinedWay& way = result.ways[i];
        table.row({way.name, human_seconds(result.seconds(i)),
                   human_flops(flops / result.seconds(i)), fmt::format("{:.4f}", result.reached(i)),
                   fmt::format("{:.1f} %", 100 * way.part), way.error <= 1 ? "right" : "WRONG"});
    }
    const double best = std::max(result.reached(1), result.reached(2));
    return fmt::format(
        "n = {}\n{}CPU / GPU {:.4f}; bar 1.0 + 0.7 x that = {:.4f}: {} with {:.4f}\n\n", result.n,
        table.text("  "), result.ratio(), result.bar(), best >= result.bar() ? "reached" : "missed",
        best);
}

void add_bench_joined(CLI::App& parent, Action& action) {
    CLI::App* sub = parent.add_subcommand("joined", "GPU and CPU on one product");
    sub->footer(joined_footer);
    const auto flags = std::make_shared<JoinedFlags>();
    sub->add_option("--n", flags->n, "rows and columns of all matrices; default 16384,32768");
    sub->add_option("--repeats", flags->repeats, "timed calls of each; default 5");
    sub->add_option("--devices", flags->devices, "cuda:N; default cuda:0");
    sub->add_flag("--pageable", flags->pageable, "matrices in memory that is not pinned");
    sub->callback([flags, &action] { action = [flags] { return bench_joined(*flags); }; });
}

}  // namespace gemmill::command
