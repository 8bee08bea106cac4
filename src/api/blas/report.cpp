// SPDX-License-Identifier: Apache-2.0
#include "api/blas/report.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <optional>
#include <vector>

#include "api/blas/hosts/unreached.hpp"
#include "api/blas/say.hpp"
#include "api/blas/settings.hpp"
#include "base/environment.hpp"
#include "base/routine.hpp"
#include "base/text.hpp"
#include "gemmill/error.hpp"
#include "planner/planner.hpp"
#include "task/problem.hpp"

namespace gemmill::blas {
namespace {

/// The GPU of the predictions, from the catalogue of machines.
constexpr const char* gpu_machine = "h200";

/// Classes of size by the cube root of m n k.
constexpr std::array<double, 5> class_ends{64, 256, 1024, 4096, 16384};
constexpr std::array<const char*, 6> class_names{"to 64",   "to 256",   "to 1024",
                                                 "to 4096", "to 16384", "larger"};
constexpr std::size_t classes = class_names.size();

struct Bucket {
    std::array<std::atomic<std::int64_t>, 2> calls{};  // by Place
    std::atomic<std::int64_t> m = 0, n = 0, k = 0;     // sums
    std::atomic<double> seconds = 0;
};
std::array<Bucket, routine_names.size() * 4 * classes> buckets;

Bucket& bucket_of(const Level3Args& x) {
    const double size =
        std::cbrt(static_cast<double>(x.m) * static_cast<double>(x.n) * static_cast<double>(x.k));
    const auto end = std::ranges::lower_bound(class_ends, size);
    const auto row = static_cast<std::size_t>(x.routine) * 4 + static_cast<std::size_t>(x.type);
    return buckets[row * classes + static_cast<std::size_t>(end - class_ends.begin())];
}

/// One line of the report.
struct Row {
    Problem problem;  ///< of the mean size
    const char* size;
    std::int64_t host = 0, devices = 0;
    double seconds = 0;
    std::optional<double> on_gpu;  ///< seconds that were predicted for all of them
    std::int64_t calls() const { return host + devices; }
};

const Machine& gpu() {
    static const Machine machine = load_machine(gpu_machine);
    return machine;
}

/// Nothing when the planner has no plan for it.
std::optional<double> seconds_on_gpu(const Problem& problem) {
    try {
        Options options;
        options.devices = "all";
        return make_plan(problem, gpu(), options).prediction.seconds;
    } catch (const Error&) {
        return std::nullopt;
    }
}

std::vector<Row> rows() {
    std::vector<Row> all;
    for (std::size_t i = 0; i < buckets.size(); ++i) {
        const Bucket& b = buckets[i];
        Row row;
        row.host = b.calls[0], row.devices = b.calls[1];
        if (row.calls() == 0) continue;
        row.size = class_names[i % classes];
        row.seconds = b.seconds;
        Problem& p = row.problem;
        p.routine = static_cast<Routine>(i / classes / 4);
        p.type = static_cast<Type>(i / classes % 4);
        p.m = b.m / row.calls(), p.n = b.n / row.calls(), p.k = b.k / row.calls();
        p.alpha = p.beta = Factor::general;
        all.push_back(row);
    }
    return all;
}

/// Only where a GPU can matter: planning takes time at the end of every program.
void predict(std::vector<Row>& all) {
    constexpr double least_seconds = 1e-3;
    for (Row& row : all)
        if (row.host > 0 && row.seconds >= least_seconds)
            if (const auto each = seconds_on_gpu(row.problem))
                row.on_gpu = *each * static_cast<double>(row.calls());
}

std::string line_of(const Row& row) {
    const Problem& p = row.problem;
    const double rate = flops_of(p) * static_cast<double>(row.calls()) / row.seconds;
    std::string line =
        fmt::format("  {:<8} {:<9} {:>9} {:>9} {:>10}   {:>9}  {:>13}",
                    letter_of(p.type) + std::string(name_of(p.routine)), row.size, row.calls(),
                    row.host, row.devices, human_seconds(row.seconds), human_flops(rate));
    if (row.on_gpu && *row.on_gpu < row.seconds)
        line += fmt::format("  {:>9}, {:.1f} x faster", human_seconds(*row.on_gpu),
                            row.seconds / *row.on_gpu);
    else if (row.on_gpu)
        line += "  nothing to gain";
    return line + "\n";
}

std::string program_name() {
    try {
        std::string name = read_file("/proc/self/comm");
        while (!name.empty() && name.back() == '\n') name.pop_back();
        return name;
    } catch (const Error&) {
        return "program";
    }
}

template <class F>
void at_end(F f) noexcept {
    try {
        f();
    } catch (const std::exception& error) {
        say(std::string("gemmill: no report: ") + error.what());
    }
}

}  // namespace

void note(const Level3Args& call, CallPlace place, double seconds) noexcept {
    Bucket& b = bucket_of(call);
    constexpr auto relaxed = std::memory_order_relaxed;
    b.calls[static_cast<std::size_t>(place)].fetch_add(1, relaxed);
    b.m.fetch_add(call.m, relaxed);
    b.n.fetch_add(call.n, relaxed);
    b.k.fetch_add(call.k, relaxed);
    b.seconds.fetch_add(seconds, relaxed);
}

void forget() noexcept {
    for (Bucket& b : buckets) {
        b.calls[0] = b.calls[1] = 0;
        b.m = b.n = b.k = 0;
        b.seconds = 0;
    }
}

std::int64_t calls_noted() noexcept {
    std::int64_t calls = 0;
    for (const Bucket& b : buckets) calls += b.calls[0] + b.calls[1];
    return calls;
}

void prepare_report() {
    Problem problem;
    problem.m = problem.n = problem.k = 64;
    seconds_on_gpu(problem);
}

std::string report_text(const std::string& setting) {
    std::vector<Row> all = rows();
    if (all.empty()) return "";
    predict(all);
    std::int64_t calls = 0;
    double seconds = 0, gained = 0;
    for (const Row& row : all) {
        calls += row.calls();
        seconds += row.seconds;
        gained += std::max(0.0, row.seconds - row.on_gpu.value_or(row.seconds));
    }
    std::string text = fmt::format(
        "gemmill: {} ({}) made {} call{} of level-3 BLAS, {} in them\n{}"
        "  {:<8} {:<9} {:>9} {:>9} {:>10}   {:>9}  {:>13}  on {} (predicted)\n",
        program_name(), ::getpid(), calls, calls == 1 ? "" : "s", human_seconds(seconds), setting,
        "routine", "size", "calls", "on host", "on devices", "time", "rate", gpu_machine);
    for (const Row& row : all) text += line_of(row);
    text += gained > 0 ? fmt::format(
                             "  a GPU as in machine '{}' would have saved {} of {} (by "
                             "prediction, matrices on the host)\n",
                             gpu_machine, human_seconds(gained), human_seconds(seconds))
                       : fmt::format(
                             "  a GPU as in machine '{}' would have saved nothing (by "
                             "prediction, matrices on the host)\n",
                             gpu_machine);
    return text;
}

void write_report(const std::string& to, const std::string& setting) noexcept {
    at_end([&] {
        if (calls_noted() == 0) return;
        const std::string unreached = unreached_text(loaded_blas());
        std::string text =
            report_text(setting + (unreached.empty() ? "" : "  " + unreached + "\n"));
        text.pop_back();
        say_to(to, text);
    });
}

void write_no_calls() noexcept {
    at_end([] {
        const std::string why = no_calls_text(loaded_blas(), is_run_by_command());
        if (why.empty()) return;
        const Options options = Options::from_environment();
        if (wants_report(options))
            say_to(options.report,
                   fmt::format("gemmill: {} ({}): {}", program_name(), ::getpid(), why));
    });
}

}  // namespace gemmill::blas
