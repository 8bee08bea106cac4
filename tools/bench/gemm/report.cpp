// SPDX-License-Identifier: Apache-2.0
#include "bench/gemm/report.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <thread>

#include "base/text.hpp"
#include "command/console.hpp"
#include "gemmill/version.hpp"
#include "pictures/figure.hpp"
#include "stamp.hpp"

namespace gemmill::command {
namespace {

using Json = nlohmann::ordered_json;

double ours(const BenchResult& r) { return r.seconds(Who::ours); }
double tera(const BenchResult& r, double seconds) { return 1e-12 * flops_of(r.one) / seconds; }
/// Predicted over measured - 1.
double off(const BenchResult& r) { return r.predicted / ours(r) - 1; }

/// Sizes of the errors of all predictions.
std::vector<double> all_off(const BenchReport& report) {
    std::vector<double> all;
    for (const BenchResult& r : report.results)
        if (!std::isnan(off(r))) all.push_back(std::abs(off(r)));
    return all;
}

// --- as text ------------------------------------------------------------------------------------

std::string number(double value, int digits) {
    return std::isnan(value) ? "-" : fmt::format("{:.{}f}", value, digits);
}

std::string verdict(const BenchResult& r) {
    const double found = r.found();
    return std::isnan(found) ? "-"
                             : fmt::format("{:.2f} {}", found, holds(r.one, found) ? "yes" : "NO");
}

std::vector<std::string> row(const BenchResult& r, int default_block) {
    const double mine = ours(r);
    const bool ran = !std::isnan(mine);
    return {name_of(r.one),
            ran ? human_seconds(mine) : "-",
            number(tera(r, mine), 2),
            ran ? percent(r.bound.seconds() / mine) : "-",
            number(r.seconds(Who::xt) / mine, 2),
            number(r.seconds_of_block(default_block) / mine, 2),
            number(r.seconds(Who::copy_all) / mine, 2),
            ran ? fmt::format("{:+.0f} %", 100 * off(r)) : "-",
            r.right() ? "yes" : "NO",
            asked_text(r.one),
            verdict(r)};
}

std::string rates_text(const BenchReport& report) {
    std::vector<std::string> products;
    for (std::size_t t = 0; t < report.rates.in_core.size(); ++t)
        if (const double rate = report.rates.in_core[t]; rate > 0)
            products.push_back(
                fmt::format("{} {}", letter_of(static_cast<Type>(t)), human_flops(rate)));
    return fmt::format("{}, {}\ncopies  {} to the device, {} back\ncuBLAS  {}\n", report.gpu,
                       report.setup.devices, human_bandwidth(report.rates.h2d),
                       human_bandwidth(report.rates.d2h), join(products, ", "));
}

constexpr const char* legend =
    "bound: share of what no plan can beat: arithmetic, bytes in, bytes out at the rates above\n"
    "xt, xt def, copy: time over ours of cuBLASXt with its best block, with its own, of copy-all\n"
    "model: predicted against measured; asked: xt as above, own: without the cap, core: cuBLAS on\n"
    "the GPU, bound: its share, at least; one: against one device, at most\n";

/// Whatever is wrong or did not run, by name.
std::string faults_text(const BenchReport& report) {
    std::string text;
    for (const BenchResult& r : report.results)
        for (const Timing& t : r.timings) {
            if (!t.fault.empty())
                text +=
                    fmt::format("{}: {} did not run: {}\n", name_of(r.one), name_of(t), t.fault);
            else if (!t.right())
                text += fmt::format("{}: {} is WRONG: error {:.3g} of what rounding may do\n",
                                    name_of(r.one), name_of(t), t.error);
        }
    return text;
}

std::string summary_text(const BenchReport& report) {
    std::string text;
    if (const std::vector<double> all = all_off(report); !all.empty())
        text += fmt::format("predictions are off by {:.1f} % in the median, {:.1f} % at worst\n",
                            100 * median(all), 100 * std::ranges::max(all));
    return text + fmt::format(
                      "host time of a call with a cached plan beyond cuBLAS: {:.1f} us "
                      "({:.1f} and {:.1f})\n",
                      1e6 * report.call.beyond(), 1e6 * report.call.ours,
                      1e6 * report.call.in_core);
}

// --- as JSON ------------------------------------------------------------------------------------

Json context_json(const BenchReport& report) {
    return {{"date", bench::now()},
            {"version", GEMMILL_VERSION},
            {"cpu", bench::cpu_name()},
            {"cores", std::thread::hardware_concurrency()},
            {"gpu", report.gpu},
            {"devices", report.setup.devices},
            {"repeats", report.setup.repeats},
            {"quick", report.setup.quick},
            {"peers", report.setup.peers},
            {"xt_default_block", report.default_block}};
}

Json rates_json(const Rates& rates) {
    Json json{{"h2d", rates.h2d}, {"d2h", rates.d2h}};
    for (std::size_t t = 0; t < rates.in_core.size(); ++t)
        if (rates.in_core[t] > 0)
            json["in_core"][std::string(1, letter_of(static_cast<Type>(t)))] = rates.in_core[t];
    return json;
}

Json asked_json(const BenchResult& r) {
    if (r.one.rule == Rule::none) return nullptr;
    const double found = r.found();
    return {{"rule", asked_text(r.one)},
            {"limit", r.one.asked},
            {"found", found},
            {"holds", std::isnan(found) ? Json() : Json(holds(r.one, found))}};
}

Json result_json(const BenchResult& r, int default_block) {
    const double mine = ours(r);
    Json json{
        {"name", name_of(r.one)},
        {"type", std::string(1, letter_of(r.one.type))},
        {"m", r.one.m},
        {"n", r.one.n},
        {"k", r.one.k},
        {"at", r.one.at},
        {"pinned", r.one.pinned},
        {"cap", r.one.cap},
        {"shares", r.one.shares},
        {"seconds", mine},
        {"tflops", tera(r, mine)},
        {"bound_seconds", r.bound.seconds()},
        {"bound_parts", {{"compute", r.bound.compute}, {"in", r.bound.in}, {"out", r.bound.out}}},
        {"bound_share", r.bound.seconds() / mine},
        {"predicted_seconds", r.predicted},
        {"predicted_off", off(r)},
        {"plan_seconds", r.plan_seconds},
        {"steps", r.steps},
        {"over_xt_best", r.seconds(Who::xt) / mine},
        {"over_xt_default", r.seconds_of_block(default_block) / mine},
        {"over_copy_all", r.seconds(Who::copy_all) / mine},
        {"over_in_core", r.seconds(Who::in_core) / mine},
        {"over_plain", r.seconds(Who::plain) / mine},
        {"right", r.right()},
        {"asked", asked_json(r)},
        {"timings", Json::array()}};
    for (const Timing& t : r.timings) json["timings"].push_back(to_json(t));
    return json;
}

}  // namespace

bool all_right(const BenchReport& report) {
    return std::ranges::all_of(report.results, &BenchResult::right);
}

std::string to_text(const BenchReport& report) {
    Table table;
    table.row({"case", "time", "TFLOP/s", "bound", "xt", "xt def", "copy", "model", "right",
               "asked", "holds"});
    for (const BenchResult& r : report.results) table.row(row(r, report.default_block));
    return rates_text(report) + "\n" + table.text("") + "\n" + legend + faults_text(report) + "\n" +
           summary_text(report);
}

Json to_json(const BenchReport& report) {
    Json json{{"context", context_json(report)},
              {"rates", rates_json(report.rates)},
              {"call",
               {{"ours_seconds", report.call.ours},
                {"in_core_seconds", report.call.in_core},
                {"beyond_seconds", report.call.beyond()}}},
              {"cases", Json::array()}};
    for (const BenchResult& r : report.results)
        json["cases"].push_back(result_json(r, report.default_block));
    const std::vector<double> all = all_off(report);
    json["predicted_off_median"] = median(all);
    json["predicted_off_worst"] = all.empty() ? Json() : Json(std::ranges::max(all));
    json["right"] = all_right(report);
    return json;
}

bool is_drawn(const BenchCase& one) {
    return one.type == Type::d && one.at == "hhh" && one.pinned && is_plain(one) && is_square(one);
}

std::string draw(const BenchReport& report) {
    LineChart chart{fmt::format("dgemm, pinned squares, {}", report.gpu), "n", "TFLOP/s", {}};
    const auto add = [&](const char* name, auto seconds) {
        Line line{name, {}};
        for (const BenchResult& r : report.results)
            if (is_drawn(r.one) && !std::isnan(seconds(r)))
                line.points.push_back({static_cast<double>(r.one.n), tera(r, seconds(r))});
        if (!line.points.empty()) chart.lines.push_back(std::move(line));
    };
    add("gemmill", ours);
    add("cuBLASXt, best block", [](const BenchResult& r) { return r.seconds(Who::xt); });
    add("copy-all", [](const BenchResult& r) { return r.seconds(Who::copy_all); });
    add("bound", [](const BenchResult& r) { return r.bound.seconds(); });
    return draw(chart);
}

}  // namespace gemmill::command
