// SPDX-License-Identifier: Apache-2.0
#include "tune/costs.hpp"

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

/// Costs of cuBLAS by pointers are without what it takes to make them.
double seconds_alone(const BatchResult& r, const BatchTiming& t, const BatchGpu& gpu) {
    constexpr double at_least = 0.3;
    const bool makes_pointers = t.who == "cublas:pointers" && r.batch.c.array == nullptr;
    if (!makes_pointers) return t.seconds;
    return std::max(at_least * t.seconds, t.seconds - seconds_to_list(r.batch, gpu));
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

/// The one that the library would take, by these costs; null: none has any.
const BatchTiming* chosen(const BatchResult& r, const std::vector<BatchCosts>& costs,
                          const WorkOf& work, const BatchGpu& gpu) {
    const BatchTiming* best = nullptr;
    double least = 0;
    for (const BatchTiming& t : r.timings) {
        BatchWork of_this;
        const BatchCosts* row = find(costs, r.one.type, costs_name(r.batch, t.who, gpu));
        if (!counts(t) || row == nullptr || !work(r.batch, t.who, of_this)) continue;
        // Pointers are made only where it is known what they save.
        if (t.who == "cublas:pointers" &&
            find(costs, r.one.type, costs_name(r.batch, "cublas", gpu)) == nullptr)
            continue;
        double seconds = seconds_of(of_this, *row, gpu);
        if (t.who.starts_with("cublas"))
            seconds = seconds_as_offered(r.batch, t.who != "cublas", seconds, gpu);
        if (best == nullptr || seconds < least) best = &t, least = seconds;
    }
    return best;
}

/// The better call of cuBLAS, with pointers that are there already; 0: neither ran.
double peer_of(const BatchResult& r, const BatchGpu& gpu) {
    double best = 0;
    for (const BatchTiming& t : r.timings)
        if (counts(t) && t.who.starts_with("cublas")) {
            const double seconds = seconds_alone(r, t, gpu);
            if (best == 0 || seconds < best) best = seconds;
        }
    return best;
}

/// "strided", "pointers", or how many products where they are few.
std::string group_of(const BatchResult& r) {
    for (const index_t few : {1, 10, 100, 1000})
        if (r.count == few) return fmt::format("{} products", few);
    return r.batch.c.array == nullptr ? "strided" : "pointers";
}

/// Batches of a group: the time of cuBLAS over that of the one chosen, and the time of that over
/// the least.
struct Judged {
    std::vector<double> over_peer;
    double longer = 0;  ///< sum of logarithms
};
std::string text_of(const std::string& group, const Judged& of) {
    const auto all = static_cast<double>(of.over_peer.size());
    const auto share = [&](double least) {
        const auto some = std::ranges::count_if(of.over_peer, [&](double x) { return x >= least; });
        return 100 * static_cast<double>(some) / all;
    };
    return fmt::format(
        "{}: cuBLAS over what is chosen at least 0.98 in {:.1f} %, 0.97 in {:.1f} %, 0.93 in "
        "{:.1f} %, least {:.2f}; {:.1f} % longer than the best; {} batches\n",
        group, share(0.98), share(0.97), share(0.93), std::ranges::min(of.over_peer),
        100 * (std::exp(of.longer / all) - 1), of.over_peer.size());
}

}  // namespace

std::vector<BatchCosts> costs_of(const std::vector<BatchResult>& measured, const WorkOf& work,
                                 const BatchGpu& gpu) {
    constexpr double hopeless = 2, hopeless_peer = 6, broken_promise = 2;
    // Calls of microseconds are disturbed more often than not.
    constexpr double longer_few = 0.5;
    constexpr std::size_t enough = 8;
    std::map<std::pair<Type, std::string>, std::vector<MeasuredWork>> all;
    for (const BatchResult& r : measured)
        for (const BatchTiming& t : r.timings) {
            BatchWork of_this;
            const bool is_call = t.who.starts_with("cublas");
            const double most = (is_call ? hopeless_peer : hopeless) * best_of(r);
            if (counts(t) && t.seconds <= most && work(r.batch, t.who, of_this))
                all[{r.one.type, costs_name(r.batch, t.who, gpu)}].push_back(
                    {of_this, seconds_alone(r, t, gpu)});
        }
    std::vector<BatchCosts> costs;
    for (const auto& [key, of] : all) {
        if (of.size() < enough) continue;
        BatchCosts row = fit_costs(of, gpu, key.second.ends_with(few_ending) ? longer_few : 1);
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
    std::map<std::string, Judged> groups;
    for (const BatchResult& r : measured) {
        const BatchTiming* taken = chosen(r, costs, work, gpu);
        if (taken == nullptr) continue;
        ++all;
        const double best = best_of(r);
        if (const double peer = peer_of(r, gpu); peer > 0) {
            Judged& group = groups[group_of(r)];
            group.over_peer.push_back(peer / taken->seconds);
            group.longer += std::log(taken->seconds / best);
        }
        if (taken->seconds <= near_best * best) {
            ++near;
            continue;
        }
        const auto fastest = std::ranges::find_if(
            r.timings, [&](const BatchTiming& t) { return counts(t) && t.seconds == best; });
        where += fmt::format("{}: {} takes {:.2f} times as long as {}\n", name_of(r.one),
                             taken->who, taken->seconds / best, fastest->who);
    }
    for (const auto& [group, of] : groups) where += text_of(group, of);
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
        "the "
        "power that\n# memory and work sum up by, then each of the counts of its work "
        "(src/kernel/batch_work.hpp), of one\n# multiprocessor. @few: of batches that stay in the "
        "cache; @pointers: of a kernel that makes larger\n# batches by pointers.\n# " +
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
