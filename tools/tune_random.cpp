// SPDX-License-Identifier: Apache-2.0
#include "tune_random.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

namespace gemmill::command {
namespace {

constexpr double near_best = 1.05;

bool counts(const BatchTiming& t) { return t.fault.empty() && t.error <= 1 && t.seconds > 0; }

std::string row_name(const BatchResult& r, const std::string& who) {
    const std::string name =
        who == "cublas" ? cublas_name(r.batch, r.batch.c.array != nullptr) : who;
    return is_few(r.batch) ? name + std::string(few_ending) : name;
}

double best_of(const BatchResult& r) {
    double best = 0;
    for (const BatchTiming& t : r.timings)
        if (counts(t) && (best == 0 || t.seconds < best)) best = t.seconds;
    return best;
}

/// How much longer than foretold it takes, one time of ten.
double tenth_of(const std::vector<MeasuredWork>& all, const BatchCosts& costs,
                const BatchGpu& gpu) {
    std::vector<double> ratios;
    for (const MeasuredWork& m : all) ratios.push_back(m.seconds / seconds_of(m.work, costs, gpu));
    const auto at = ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() * 9 / 10);
    std::ranges::nth_element(ratios, at);
    return *at;
}

const BatchCosts* find(const std::vector<BatchCosts>& costs, Type type, const std::string& name) {
    const auto found = std::ranges::find_if(
        costs, [&](const BatchCosts& c) { return c.type == type && c.kernel == name; });
    return found == costs.end() ? nullptr : &*found;
}

/// The one with the least estimate; null: none has costs.
const BatchTiming* chosen(const BatchResult& r, const std::vector<BatchCosts>& costs,
                          const WorkOf& work, const BatchGpu& gpu) {
    const BatchTiming* best = nullptr;
    double least = 0;
    for (const BatchTiming& t : r.timings) {
        BatchWork of_this;
        const BatchCosts* row = find(costs, r.one.type, row_name(r, t.who));
        if (!counts(t) || row == nullptr || !work(r.batch, t.who, of_this)) continue;
        const double seconds = seconds_of(of_this, *row, gpu);
        if (best == nullptr || seconds < least) best = &t, least = seconds;
    }
    return best;
}

}  // namespace

std::vector<BatchCosts> costs_of(const std::vector<BatchResult>& measured, const WorkOf& work,
                                 const BatchGpu& gpu) {
    constexpr double hopeless = 2, hopeless_peer = 6, broken_promise = 2;
    constexpr std::size_t enough = 8;
    std::map<std::pair<Type, std::string>, std::vector<MeasuredWork>> all;
    for (const BatchResult& r : measured)
        for (const BatchTiming& t : r.timings) {
            BatchWork of_this;
            const double most = (t.who == "cublas" ? hopeless_peer : hopeless) * best_of(r);
            if (counts(t) && t.seconds <= most && work(r.batch, t.who, of_this))
                all[{r.one.type, row_name(r, t.who)}].push_back({of_this, t.seconds});
        }
    std::vector<BatchCosts> costs;
    for (const auto& [key, of] : all) {
        if (of.size() < enough) continue;
        BatchCosts row = fit_costs(of, gpu);
        row.type = key.first, row.kernel = key.second;
        if (row.kernel.starts_with("cublas:") && tenth_of(of, row, gpu) > broken_promise) continue;
        costs.push_back(row);
    }
    return costs;
}

std::string report_of(const std::vector<BatchResult>& measured,
                      const std::vector<BatchCosts>& costs, const WorkOf& work,
                      const BatchGpu& gpu) {
    std::size_t near = 0, all = 0;
    std::string where;
    for (const BatchResult& r : measured) {
        const BatchTiming* taken = chosen(r, costs, work, gpu);
        if (taken == nullptr) continue;
        ++all;
        const double best = best_of(r);
        if (taken->seconds <= near_best * best) {
            ++near;
            continue;
        }
        const auto fastest = std::ranges::find_if(
            r.timings, [&](const BatchTiming& t) { return counts(t) && t.seconds == best; });
        where += fmt::format("{}: {} takes {:.2f} times as long as {}\n", name_of(r.one),
                             taken->who, taken->seconds / best, fastest->who);
    }
    return fmt::format("{}within 5 % of the best: {} of {}\n", where, near, all);
}

std::string report_in_halves(const std::vector<BatchResult>& measured, const WorkOf& work,
                             const BatchGpu& gpu) {
    const auto same_shape = [](const BatchBenchCase& a, const BatchBenchCase& b) {
        return a.type == b.type && a.m == b.m && a.n == b.n && a.k == b.k && a.gaps == b.gaps;
    };
    std::array<std::vector<BatchResult>, 2> halves;
    std::size_t half = 0;
    for (std::size_t i = 0; i < measured.size(); ++i) {
        if (i > 0 && !same_shape(measured[i].one, measured[i - 1].one)) half = 1 - half;
        halves[half].push_back(measured[i]);
    }
    std::string text;
    for (std::size_t i = 0; i < halves.size(); ++i)
        text += report_of(halves[i], costs_of(halves[1 - i], work, gpu), work, gpu);
    return text;
}

std::string costs_text(const std::vector<BatchCosts>& costs, const std::vector<BatchCosts>& old,
                       const std::string& origin) {
    std::string text =
        "# What the work of each kernel costs, in nanoseconds: type, kernel, start of a launch, "
        "then each of\n# the counts of its work (src/kernel/batch_work.hpp), of one "
        "multiprocessor.\n# " +
        origin + "\n";
    std::set<Type> types;
    for (const BatchCosts& c : costs) types.insert(c.type);
    for (int type = 0; type < type_count; ++type) {
        text += "\n";
        const bool is_new = types.contains(static_cast<Type>(type));
        for (const BatchCosts& c : is_new ? costs : old)
            if (static_cast<int>(c.type) == type) text += gemmill::to_text(c) + "\n";
    }
    return text;
}

}  // namespace gemmill::command
