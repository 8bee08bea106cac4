// SPDX-License-Identifier: Apache-2.0
// gemmill reproduce measured: how far the simulated seconds of libraries are from measured ones.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "command/console.hpp"
#include "command/flags.hpp"
#include "command/subcommands.hpp"
#include "command/values.hpp"
#include "reproduce/measured_data.hpp"
#include "reproduce/reproduce.hpp"

namespace gemmill::command {
namespace {

using Json = nlohmann::ordered_json;

struct Compared {
    const MeasuredRow* row = nullptr;
    double simulated = 0;
    /// Of the measured seconds; above 0 when the simulation is slower.
    double error() const { return simulated / row->seconds - 1; }
};

/// All rows of one library, the worst first.
struct Library {
    std::string name;
    std::vector<Compared> rows;

    double ratio() const {
        std::vector<double> all;
        for (const Compared& c : rows) all.push_back(1 + c.error());
        std::ranges::sort(all);
        return (all[(all.size() - 1) / 2] + all[all.size() / 2]) / 2;
    }
    double median() const {
        return (size_at((rows.size() - 1) / 2) + size_at(rows.size() / 2)) / 2;
    }
    /// The error that nine of ten rows do not exceed.
    double ninetieth() const {
        const auto rank =
            static_cast<std::size_t>(std::ceil(0.9 * static_cast<double>(rows.size())));
        return size_at(rows.size() - rank);
    }
    double size_at(std::size_t i) const { return std::abs(rows[i].error()); }
};

/// Whether libraries come in the right order, over cases that several libraries ran.
struct Ranking {
    int cases = 0, right_cases = 0, right_fastest = 0;
    int pairs = 0, right_pairs = 0;
};

std::vector<Compared> simulate_rows(const std::vector<MeasuredRow>& rows, Evaluator& evaluator) {
    std::vector<Compared> all;
    for (const MeasuredRow& row : rows) {
        const Variant variant{row.library, row.library};
        const double seconds = named(fmt::format("--data: line {}", row.line),
                                     [&] { return evaluator.seconds(row.one, variant); });
        all.push_back({&row, seconds});
    }
    return all;
}

std::vector<Library> by_library(const std::vector<Compared>& all) {
    std::map<std::string, std::vector<Compared>> groups;
    for (const Compared& c : all) groups[c.row->library].push_back(c);
    std::vector<Library> libraries;
    for (auto& [name, rows] : groups) {
        std::ranges::stable_sort(rows, std::greater{},
                                 [](const Compared& c) { return std::abs(c.error()); });
        libraries.push_back({name, std::move(rows)});
    }
    return libraries;
}

void rank_case(const std::vector<Compared>& runs, Ranking& ranking) {
    int pairs = 0, right = 0;
    for (std::size_t i = 0; i < runs.size(); ++i)
        for (std::size_t j = i + 1; j < runs.size(); ++j) {
            const double measured = runs[i].row->seconds - runs[j].row->seconds;
            const double simulated = runs[i].simulated - runs[j].simulated;
            ++pairs;
            right += measured == 0 || measured * simulated > 0;
        }
    const auto by_measured = [](const Compared& c) { return c.row->seconds; };
    ranking.right_fastest += std::ranges::min_element(runs, {}, by_measured) ==
                             std::ranges::min_element(runs, {}, &Compared::simulated);
    ranking.pairs += pairs;
    ranking.right_pairs += right;
    ranking.cases += 1;
    ranking.right_cases += right == pairs;
}

Ranking rank(const std::vector<Compared>& all) {
    std::map<Case, std::vector<Compared>> groups;
    for (const Compared& c : all) groups[c.row->one].push_back(c);
    Ranking ranking;
    for (const auto& [one, runs] : groups)
        if (runs.size() > 1) rank_case(runs, ranking);
    return ranking;
}

std::string percent1(double share) { return fmt::format("{:.1f} %", 100 * share); }

std::string library_table(const std::vector<Library>& libraries) {
    Table table;
    table.row({"library", "rows", "sim / measured", "median error", "90 % below", "worst"});
    for (const Library& l : libraries)
        table.row({l.name, std::to_string(l.rows.size()), fmt::format("{:.2f}", l.ratio()),
                   percent1(l.median()), percent1(l.ninetieth()), percent1(l.size_at(0))});
    return table.text("");
}

std::string worst_table(const std::vector<Library>& libraries, std::size_t count) {
    Table table;
    table.row({"worst rows", "line", "measured", "simulated", "error"});
    for (const Library& l : libraries)
        for (std::size_t i = 0; i < std::min(count, l.rows.size()); ++i) {
            const Compared& c = l.rows[i];
            table.row({fmt::format("{} {}", l.name, name_of(c.row->one)),
                       std::to_string(c.row->line), human_seconds(c.row->seconds),
                       human_seconds(c.simulated), fmt::format("{:+.0f} %", 100 * c.error())});
        }
    return table.text("");
}

std::string ranking_text(const Ranking& r) {
    if (r.cases == 0) return "order: no case was run by two libraries\n";
    const auto line = [](const char* what, int right, int all) {
        return fmt::format("  {:<45} {:>4} of {:>4}, {}\n", what, right, all,
                           percent(static_cast<double>(right) / all));
    };
    return fmt::format("order by seconds, in the {} cases that several libraries ran\n", r.cases) +
           line("pairs of libraries in the right order", r.right_pairs, r.pairs) +
           line("cases with all their libraries in order", r.right_cases, r.cases) +
           line("cases whose fastest library is found", r.right_fastest, r.cases);
}

Json row_json(const Compared& c) {
    const Case& one = c.row->one;
    return {{"line", c.row->line},
            {"library", c.row->library},
            {"gpus", one.gpus},
            {"m", one.m},
            {"n", one.n},
            {"k", one.k},
            {"at", one.at},
            {"measured", c.row->seconds},
            {"simulated", c.simulated},
            {"error", c.error()}};
}

Json to_json(const std::vector<Library>& libraries, const Ranking& r, std::size_t worst) {
    Json json;
    json["libraries"] = Json::array();
    for (const Library& l : libraries) {
        Json one{{"name", l.name},
                 {"rows", l.rows.size()},
                 {"ratio_median", l.ratio()},
                 {"error_median", l.median()},
                 {"error_90", l.ninetieth()},
                 {"error_worst", l.size_at(0)}};
        one["worst"] = Json::array();
        for (std::size_t i = 0; i < std::min(std::max<std::size_t>(worst, 1), l.rows.size()); ++i)
            one["worst"].push_back(row_json(l.rows[i]));
        json["libraries"].push_back(std::move(one));
    }
    json["order"] = {{"cases", r.cases},
                     {"pairs", r.pairs},
                     {"right_pairs", r.right_pairs},
                     {"right_cases", r.right_cases},
                     {"right_fastest", r.right_fastest}};
    return json;
}

}  // namespace

int reproduce_measured(const MeasuredFlags& flags) {
    const auto worst = static_cast<std::size_t>(parse_at_least(flags.worst, "--worst", 0));
    const std::vector<MeasuredRow> rows =
        named("--data", [&] { return parse_measured(read_file(flags.data)); });
    Evaluator evaluator(named("--machine", [&] { return machine_named(flags.machine); }));
    const std::vector<Compared> all = simulate_rows(rows, evaluator);
    const std::vector<Library> libraries = by_library(all);
    const Ranking ranking = rank(all);
    if (flags.json) {
        fmt::print("{}\n", to_json(libraries, ranking, worst).dump(2));
        return ok;
    }
    fmt::print("{} runs, simulated on {}\n\n", rows.size(), evaluator.machine().name);
    fmt::print("{}\n{}\n", library_table(libraries), ranking_text(ranking));
    fmt::print("{}", worst_table(libraries, std::max<std::size_t>(worst, 1)));
    return ok;
}

}  // namespace gemmill::command
