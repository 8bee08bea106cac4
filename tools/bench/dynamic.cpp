// SPDX-License-Identifier: Apache-2.0
#include "bench/dynamic.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <cmath>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "api/call.hpp"
#include "base/routine.hpp"
#include "base/text.hpp"
#include "bench/subcommands.hpp"
#include "check/level3_check.hpp"
#include "command/console.hpp"
#include "command/stopwatch.hpp"
#include "command/values.hpp"
#include "random/arrays.hpp"
#include "task/problem.hpp"

namespace gemmill::command {
namespace {

using Json = nlohmann::ordered_json;

constexpr double asked = 0.96;
constexpr const char* dynamic_footer =
    "Examples:\n"
    "  gemmill bench dynamic --out dynamic.json\n"
    "  gemmill bench dynamic --most 16384 --repeats 9\n"
    "\nRandom doubles in pinned memory: products, two of them under a cap of device memory, a "
    "rank\n"
    "update and a solve, in turn as policy best plans them and as policy dynamic goes, after a "
    "rest\n"
    "of 50 ms each; medians. A\n"
    "dynamic run is recorded, and its plan run again must give the same bits; what that takes "
    "says\n"
    "how much of the difference is in the plan, and how much in deciding while it runs.";

struct DynamicFlags {
    std::string most = "32768", repeats = "5", devices = "cuda:0", out;
};

/// Of all bits of a matrix, each at its place.
std::uint64_t digest(const double* data, index_t count) {
    std::atomic<std::uint64_t> sum = 0;
    parallel(count, [&](index_t first, index_t last) {
        std::uint64_t mine = 0;
        for (index_t i = first; i < last; ++i) {
            std::uint64_t bits = 0;
            std::memcpy(&bits, data + i, sizeof bits);
            mine +=
                (bits ^ (bits >> 29)) * (2 * static_cast<std::uint64_t>(i) + 0x9e3779b97f4a7c15);
        }
        sum += mine;
    });
    return sum;
}

class DynamicBench {
  public:
    explicit DynamicBench(const DynamicFlags& flags)
        : flags_(flags),
          repeats_(static_cast<int>(parse_between(flags.repeats, "--repeats", 1, 1000))),
          most_(parse_between(flags.most, "--most", 64, 1 << 20)),
          owner_(named("--devices", [&] { return Context(options_of("best", 0)); })),
          arrays_(owner_) {
        const Progress progress("making matrices");
        for (const std::size_t o : {0U, 1U, 2U})
            arrays_.grow(Where::pinned, o,
                         static_cast<std::size_t>(most_ * most_) * sizeof(double));
        for (const std::size_t o : {0U, 1U}) arrays_.fill(Where::pinned, o, Type::d);
    }

    std::vector<DynamicResult> run() {
        std::vector<DynamicResult> results;
        for (const DynamicCase& one : dynamic_cases(most_)) results.push_back(run(one));
        return results;
    }

  private:
    Options options_of(const std::string& policy, std::int64_t cap) const {
        Options options = Options::from_environment();
        options.devices = flags_.devices;
        options.policy = policy;
        options.device_memory = cap;
        return options;
    }

    double* data(std::size_t operand) {
        return reinterpret_cast<double*>(arrays_.data(Where::pinned, operand));
    }

    Level3Args args_of(const DynamicCase& one) {
        Level3Args g;
        g.routine = one.routine;
        g.m = g.n = g.k = one.n;
        g.alpha = {1.1, 0};
        g.beta = is_in_place(one.routine) ? Scalar{} : Scalar{0.9, 0};
        g.a = data(0), g.lda = one.n;
        if (one.routine == Routine::gemm) g.b = data(1), g.ldb = one.n;
        g.c = data(2), g.ldc = one.n;
        return g;
    }

    /// C as it was, and of a triangle that is solved with a heavy diagonal.
    void reset(const DynamicCase& one) {
        fill_random(Type::d, data(2), one.n * one.n, seeds[2]);
        if (one.routine != Routine::trsm) return;
        for (index_t i = 0; i < one.n; ++i)
            data(0)[i + i * one.n] = 4 * std::sqrt(static_cast<double>(one.n));
    }

    /// After a rest, as other benches have it: a GPU at the limit of its power is slower in the
    /// calls that follow each other at once, whoever makes them.
    static double timed(Context& context, const Level3Args& args) {
        rest();
        return seconds_of([&] { run_call(context, args); });
    }

    DynamicResult run(const DynamicCase& one) {
        const Progress progress(name_of(one));
        DynamicResult result;
        result.one = one;
        Context best(options_of("best", one.cap)), dynamic(options_of("dynamic", one.cap));
        const Level3Args args = args_of(one);
        reset(one);
        const Level3Check check(args);
        run_call(best, args);
        result.best_error = check.error(args);
        std::optional<Plan> recorded;
        dynamic.observe([&](const Report& report) { recorded = report.plan; });
        reset(one);
        run_call(dynamic, args);
        dynamic.observe({});
        result.dynamic_error = check.error(args);
        const std::uint64_t bits = digest(data(2), one.n * one.n);
        for (int i = 0; i < repeats_; ++i) {
            result.best.push_back(timed(best, args));
            result.dynamic.push_back(timed(dynamic, args));
        }
        best.adopt(*std::move(recorded));
        reset(one);
        run_call(best, args);
        result.replayed = digest(data(2), one.n * one.n) == bits;
        for (int i = 0; i < repeats_; ++i) result.replay.push_back(timed(best, args));
        return result;
    }

    const DynamicFlags flags_;
    const int repeats_;
    const index_t most_;
    Context owner_;  // of the arrays
    BenchArrays arrays_;
};

int bench_dynamic(const DynamicFlags& flags) {
    gpu_of(flags.devices);
    const std::vector<DynamicResult> results = DynamicBench(flags).run();
    fmt::print("{}", to_text(results));
    if (!flags.out.empty()) write_file(flags.out, to_json(results).dump(2) + "\n");
    return std::ranges::all_of(results, &DynamicResult::right) ? ok : failed;
}

}  // namespace

std::vector<DynamicCase> dynamic_cases(index_t largest) {
    const index_t middle = largest / 2;
    const auto cap = [](index_t n) { return 16 * n * n; };  // two matrices of doubles
    return {{Routine::gemm, largest / 4},
            {Routine::gemm, middle},
            {Routine::gemm, largest},
            {Routine::gemm, middle, cap(middle)},
            {Routine::gemm, largest, cap(largest)},
            {Routine::syrk, middle},
            {Routine::trsm, middle}};
}

std::string name_of(const DynamicCase& one) {
    const std::string cap =
        one.cap > 0 ? fmt::format(", cap {}", human_bytes(static_cast<double>(one.cap))) : "";
    return fmt::format("d{} {}{}", name_of(one.routine), one.n, cap);
}

std::string to_text(const std::vector<DynamicResult>& results) {
    Table table;
    table.row({"", "best", "dynamic", "best / dynamic", "asked", "run again", "replay", "check"});
    for (const DynamicResult& r : results)
        table.row({name_of(r.one), human_seconds(median(r.best)), human_seconds(median(r.dynamic)),
                   fmt::format("{:.3f}", r.share()), fmt::format("{:.2f}", asked),
                   human_seconds(median(r.replay)), r.replayed ? "same bits" : "OTHER BITS",
                   r.best_error <= 1 && r.dynamic_error <= 1 ? "right" : "WRONG"});
    return table.text();
}

Json to_json(const std::vector<DynamicResult>& results) {
    Json json{{"asked", asked}, {"runs", Json::array()}};
    for (const DynamicResult& r : results)
        json["runs"].push_back({{"case", name_of(r.one)},
                                {"best_seconds", r.best},
                                {"dynamic_seconds", r.dynamic},
                                {"replay_seconds", r.replay},
                                {"share", r.share()},
                                {"replayed", r.replayed},
                                {"right", r.right()}});
    return json;
}

void add_bench_dynamic(CLI::App& parent, Action& action) {
    CLI::App* sub = parent.add_subcommand("dynamic", "policy dynamic beside static plans");
    sub->footer(dynamic_footer);
    const auto flags = std::make_shared<DynamicFlags>();
    sub->add_option("--most", flags->most,
                    "largest n, others are half and a quarter of it; default 32768");
    sub->add_option("--repeats", flags->repeats, "timed calls of each; default 5");
    sub->add_option("--devices", flags->devices, "cuda:N; default cuda:0");
    sub->add_option("--out", flags->out, "file for the figures, as JSON");
    sub->callback([flags, &action] { action = [flags] { return bench_dynamic(*flags); }; });
}

}  // namespace gemmill::command
