// SPDX-License-Identifier: Apache-2.0
#include "tune/rank.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

#include "batch/choice/choice.hpp"

namespace gemmill::command {
namespace {

constexpr double near_best = 1.05;
constexpr index_t any = std::numeric_limits<index_t>::max();

bool counts(const BatchTiming& t) { return t.fault.empty() && t.error <= 1; }

/// Who is within 5 % of the best of those that may be taken.
template <class F>
std::set<std::string> near(const BatchResult& r, F may_be_taken) {
    double best = std::numeric_limits<double>::infinity();
    for (const BatchTiming& t : r.timings)
        if (counts(t) && may_be_taken(t.who)) best = std::min(best, t.seconds);
    std::set<std::string> names;
    for (const BatchTiming& t : r.timings)
        if (counts(t) && may_be_taken(t.who) && t.seconds <= near_best * best) names.insert(t.who);
    return names;
}

const char* ops_of(const BatchBenchCase& one) {
    const bool a = one.op_a != Op::NoTrans, b = one.op_b != Op::NoTrans;
    return a ? b ? "tt" : "tn" : b ? "nt" : "nn";
}

/// Rows of one chain have rising sizes: small squares, thin products, larger squares.
int chain_of(const BatchBenchCase& one) {
    constexpr index_t small = 16;
    return std::max(one.m, one.n) <= small ? 0 : one.k < std::max(one.m, one.n) ? 1 : 2;
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

std::set<std::string> winners(const std::vector<BatchResult>& measured, Type type,
                              const std::set<std::string>& compiled_in, std::size_t most) {
    std::vector<std::map<std::string, double>> open;  // by shape, those that would do: their lead
    for (const BatchResult& r : measured) {
        if (r.one.type != type) continue;
        const auto names = near(r, [](const std::string&) { return true; });
        if (std::ranges::any_of(names, [&](const auto& n) { return compiled_in.contains(n); }))
            continue;
        std::map<std::string, double> leads;
        for (const BatchTiming& t : r.timings)
            if (names.contains(t.who)) leads[t.who] = 1 / t.seconds;
        if (!leads.empty()) open.push_back(std::move(leads));
    }
    std::set<std::string> kept;
    while (!open.empty() && kept.size() < most) {
        std::map<std::string, std::pair<int, double>> score;  // how often, then how fast
        for (const auto& leads : open)
            for (const auto& [name, speed] : leads) {
                auto& [often, fast] = score[name];
                ++often, fast += speed;
            }
        const auto best =
            std::ranges::max_element(score, {}, [](const auto& of) { return of.second; });
        kept.insert(best->first);
        std::erase_if(open, [&](const auto& leads) { return leads.contains(best->first); });
    }
    return kept;
}

std::vector<BatchRow> rows_of(const std::vector<BatchResult>& measured, Type type,
                              const std::set<std::string>& names) {
    const auto taken = [&](const std::string& name) { return names.contains(name); };
    std::map<std::string, int> often;
    std::set<std::string> all_ops;
    for (const BatchResult& r : measured) {
        if (r.one.type != type) continue;
        all_ops.insert(ops_of(r.one));
        for (const std::string& name : near(r, taken)) ++often[name];
    }
    using Key = std::tuple<int, BatchKind, std::string, index_t, index_t>;
    std::map<Key, std::string> picks;
    for (const BatchResult& r : measured) {
        if (r.one.type != type) continue;
        const auto best = near(r, taken);
        if (best.empty()) continue;
        picks[{chain_of(r.one), r.one.kind, all_ops.size() > 1 ? ops_of(r.one) : "",
               std::max(r.one.m, r.one.n), r.one.k}] =
            *std::ranges::max_element(best, {}, [&](const auto& name) { return often[name]; });
    }
    std::vector<BatchRow> rows;
    const Key* before = nullptr;
    for (const auto& [key, kernel] : picks) {
        const auto& [chain, kind, ops, edge, k] = key;
        const bool goes_on = before != nullptr && std::get<0>(*before) == chain &&
                             std::get<1>(*before) == kind && std::get<2>(*before) == ops &&
                             std::get<4>(*before) <= k && rows.back().kernel == kernel;
        if (goes_on) rows.pop_back();
        rows.push_back(
            {type, kind != BatchKind::pointers, kind != BatchKind::strided, ops, edge, k, kernel});
        before = &key;
    }
    if (!rows.empty()) rows.push_back({type, true, true, "", any, any, "cublas"});
    return rows;
}

std::string table_of(const std::vector<BatchRow>& rows, const std::vector<BatchRow>& old,
                     const std::string& origin) {
    std::string text =
        "# Which kernel makes products of one shape; src/batch/choice/table.hpp says how to read "
        "it.\n# " +
        origin + "\n";
    for (int type = 0; type < type_count; ++type) {
        const auto of_type = [&](const BatchRow& row) {
            return static_cast<int>(row.type) == type;
        };
        const bool is_new = std::ranges::any_of(rows, of_type);
        std::string part;
        for (const BatchRow& row : is_new ? rows : old)
            if (of_type(row)) part += gemmill::to_text(row) + "\n";
        if (part.empty()) continue;
        text += is_new ? "\n" : "\n# As it was.\n";
        text += part;
    }
    return text;
}

std::string instances_of(const std::vector<BatchRow>& rows, Type type, const std::string& origin) {
    std::set<std::string> named;
    for (const BatchRow& row : rows)
        if (row.type == type && candidate_named(row.kernel)) named.insert(row.kernel);
    std::string text = fmt::format(
        "// SPDX-License-Identifier: Apache-2.0\n// Rows of Kernel that `gemmill tune batch` has "
        "found; it writes this file.\n// {}\n",
        origin);
    for (const std::string& name : named)
        text += "    " + row_of(*candidate_named(name), type) + "\n";
    return text;
}

}  // namespace gemmill::command
