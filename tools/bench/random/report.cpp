// SPDX-License-Identifier: Apache-2.0
#include "bench/random/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/text.hpp"
#include "command/console.hpp"
#include "gemmill/version.hpp"
#include "stamp.hpp"
#include "task/problem.hpp"

namespace gemmill::command {
namespace {

using Json = nlohmann::ordered_json;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr std::pair<RandomGroup, const char*> groups[] = {
    {RandomGroup::host, "from the host"},
    {RandomGroup::core_odd, "in core, odd"},
    {RandomGroup::core_even, "in core, even"}};

std::string number(double value, int digits) {
    return std::isnan(value) ? "-" : fmt::format("{:.{}f}", value, digits);
}
std::string share_text(double share) { return std::isnan(share) ? "-" : percent(share); }

double tera(const RandomResult& r) { return 1e-12 * flops_of(r.one.problem) / r.ours(); }

/// The block of cuBLASXt that was the fastest; 0 when there is none.
int block_of(const RandomResult& r) {
    for (const Timing& t : r.timings)
        if (t.block > 0 && t.seconds() == r.peer()) return t.block;
    return 0;
}

double mean(const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) sum += value;
    return values.empty() ? nan : sum / static_cast<double>(values.size());
}
double least(const std::vector<double>& values) {
    return values.empty() ? nan : *std::ranges::min_element(values);
}

// --- as text ------------------------------------------------------------------------------------

std::vector<std::string> row(const RandomResult& r) {
    const int block = block_of(r);
    return {fmt::format("{:3} {}", r.one.number, name_of(r.one)),
            number(1e3 * r.ours(), 2),
            number(tera(r), 1),
            share_text(r.share()),
            number(r.ratio(), 2),
            block > 0 ? std::to_string(block) : "-",
            fmt::format("{:+.0f} %", 100 * (r.predicted / r.ours() - 1)),
            r.right() ? "yes" : "NO"};
}

std::string faults_of(const RandomResult& r) {
    std::string text;
    for (const Timing& t : r.timings)
        if (!t.fault.empty())
            text += fmt::format("{}: {} did not run: {}\n", name_of(r.one), name_of(t), t.fault);
        else if (!t.right())
            text += fmt::format("{}: {} is WRONG by {:.3g}\n", name_of(r.one), name_of(t), t.error);
    return text;
}

std::string summary_text(const std::vector<RandomResult>& results) {
    Table table;
    table.row({"", "cases", "of the bound", "least", "x peer", "least", "not ahead"});
    for (const auto& [group, name] : groups) {
        const RandomSummary s = summary_of(group_of(results, group));
        if (s.cases == 0) continue;
        table.row({name, std::to_string(s.cases), share_text(s.mean_share),
                   share_text(s.least_share), number(s.mean_ratio, 2), number(s.least_ratio, 2),
                   std::isnan(s.mean_ratio) ? "-" : std::to_string(s.behind)});
    }
    return table.text("");
}

std::string behind_text(const std::vector<RandomResult>& results) {
    std::string text;
    for (const RandomResult& r : results)
        if (r.ratio() <= 1)
            text +=
                fmt::format("not ahead: {} {}: {:.2f}\n", r.one.number, name_of(r.one), r.ratio());
    return text;
}

std::string extras_text(const RandomReport& report) {
    std::string text;
    for (const auto& [n, call] : report.calls)
        text +=
            fmt::format("a call in core at n = {}: {:+.1f} us beyond cuBLAS ({:.1f} and {:.1f})\n",
                        n, 1e6 * call.beyond(), 1e6 * call.ours, 1e6 * call.in_core);
    const ThreadTime& t = report.threads;
    if (t.threads > 0)
        text += fmt::format(
            "{} threads at n = {}, pinned, beta 0: {} together, {} alone, {:.2f} x\n", t.threads,
            t.n, human_seconds(t.together), human_seconds(t.alone), t.ratio());
    return text;
}

// --- as JSON ------------------------------------------------------------------------------------

Json result_json(const RandomResult& r) {
    const Problem& p = r.one.problem;
    Json json{{"number", r.one.number},
              {"name", name_of(r.one)},
              {"m", p.m},
              {"n", p.n},
              {"k", p.k},
              {"flops", flops_of(p)},
              {"seconds", r.ours()},
              {"bound_seconds", r.bound},
              {"predicted_seconds", r.predicted},
              {"share_of_bound", r.share()},
              {"peer_seconds", r.peer()},
              {"peer_over_ours", r.ratio()},
              {"right", r.right()},
              {"timings", Json::array()}};
    for (const Timing& t : r.timings) json["timings"].push_back(to_json(t));
    return json;
}

Json summary_json(const RandomSummary& s) {
    return {{"cases", s.cases},
            {"mean_share_of_bound", s.mean_share},
            {"least_share_of_bound", s.least_share},
            {"mean_peer_over_ours", s.mean_ratio},
            {"least_peer_over_ours", s.least_ratio},
            {"not_ahead", s.behind}};
}

}  // namespace

std::vector<RandomResult> group_of(const std::vector<RandomResult>& results, RandomGroup group) {
    std::vector<RandomResult> some;
    std::ranges::copy_if(results, std::back_inserter(some), [&](const RandomResult& r) {
        if (r.one.where != Where::device) return group == RandomGroup::host;
        return group == (is_odd(r.one) ? RandomGroup::core_odd : RandomGroup::core_even);
    });
    return some;
}

RandomSummary summary_of(const std::vector<RandomResult>& results) {
    std::vector<double> shares, logs;
    for (const RandomResult& r : results) {
        if (!std::isnan(r.share())) shares.push_back(r.share());
        if (!std::isnan(r.ratio())) logs.push_back(std::log(r.ratio()));
    }
    RandomSummary s;
    s.cases = static_cast<int>(results.size());
    s.mean_share = mean(shares), s.least_share = least(shares);
    s.mean_ratio = std::exp(mean(logs)), s.least_ratio = std::exp(least(logs));
    s.behind = static_cast<int>(std::ranges::count_if(logs, [](double x) { return x <= 0; }));
    return s;
}

bool all_right(const RandomReport& report) {
    return std::ranges::all_of(report.results, &RandomResult::right);
}

std::string to_text(const RandomReport& report) {
    Table table;
    table.row({"case", "ms", "TFLOP/s", "bound", "x peer", "block", "model", "right"});
    std::string faults;
    for (const RandomResult& r : report.results) {
        table.row(row(r));
        faults += faults_of(r);
    }
    return fmt::format("{}\n{}{}{}{}", table.text(""), summary_text(report.results),
                       behind_text(report.results), extras_text(report), faults);
}

nlohmann::ordered_json to_json(const RandomReport& report) {
    Json json{
        {"date", bench::now()},      {"version", GEMMILL_VERSION}, {"cpu", bench::cpu_name()},
        {"gpu", report.gpu},         {"devices", report.devices},  {"seed", report.seed},
        {"repeats", report.repeats}, {"right", all_right(report)}, {"summary", Json::object()},
        {"calls", Json::array()},    {"threads", Json()},          {"cases", Json::array()}};
    for (const auto& [group, name] : groups)
        json["summary"][name] = summary_json(summary_of(group_of(report.results, group)));
    for (const auto& [n, call] : report.calls)
        json["calls"].push_back({{"n", n}, {"seconds", call.ours}, {"cublas", call.in_core}});
    const ThreadTime& t = report.threads;
    if (t.threads > 0)
        json["threads"] = {{"threads", t.threads},
                           {"n", t.n},
                           {"alone", t.alone},
                           {"together", t.together},
                           {"ratio", t.ratio()}};
    for (const RandomResult& r : report.results) json["cases"].push_back(result_json(r));
    return json;
}

}  // namespace gemmill::command
