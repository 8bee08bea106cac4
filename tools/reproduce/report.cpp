// SPDX-License-Identifier: Apache-2.0
#include "reproduce/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "base/routine.hpp"
#include "command/console.hpp"
#include "command/subcommands.hpp"
#include "plan/text/words.hpp"

namespace gemmill::command {
namespace {

using Json = nlohmann::ordered_json;

std::string number(double value) {
    return fmt::format("{:.{}f}", value, value < 9.995 ? 2 : value < 999.95 ? 1 : 0);
}

std::string text_of(const Cell& cell) {
    if (std::isnan(cell.simulated)) return "-";
    if (!cell.reported()) return number(cell.simulated) + " ";
    return fmt::format("{} / {}{}", number(cell.paper), number(cell.simulated),
                       cell.off() ? "*" : " ");
}

/// "paper / simulated" in each cell, with * behind it when they are far apart.
std::string to_text(const Section& section) {
    Table table;
    std::vector<std::string> head{""};
    for (const std::string& column : section.columns) head.push_back(column + " ");
    table.row(std::move(head));
    for (const ReportRow& row : section.rows) {
        std::vector<std::string> cells{row.label};
        for (const Cell& cell : row.cells) cells.push_back(text_of(cell));
        table.row(std::move(cells));
    }
    return section.title + "\n" + table.text();
}

/// How many reported numbers there are, and how many of them are off.
std::string agreement(const std::vector<Section>& sections) {
    int all = 0, off = 0;
    for (const Section& section : sections)
        for (const ReportRow& row : section.rows)
            for (const Cell& cell : row.cells) {
                all += cell.reported();
                off += cell.off();
            }
    return fmt::format("{} reported numbers; {} simulated within 15 % of them, {} not (*)\n", all,
                       all - off, off);
}

/// A point where some other policy is predicted to be faster than best.
struct Beaten {
    Case one;
    std::string by;
    double ratio = 0;  ///< seconds of the other over seconds of best
};

std::vector<Beaten> beaten_points(const Evaluator& e) {
    std::map<Case, std::map<std::string, double>> by_case;
    for (const auto& [key, value] : e.all()) by_case[key.first][key.second] = value.seconds;
    std::vector<Beaten> all;
    for (const auto& [one, seconds] : by_case) {
        const auto ours = seconds.find(best.name);
        if (ours == seconds.end()) continue;
        const auto least =
            std::ranges::min_element(seconds, {}, [](const auto& entry) { return entry.second; });
        if (least->second < ours->second * (1 - 1e-9))
            all.push_back({one, least->first, least->second / ours->second});
    }
    std::ranges::stable_sort(all, {}, &Beaten::ratio);
    return all;
}

void print_beaten(const std::vector<Beaten>& all) {
    constexpr std::size_t shown = 20;
    fmt::print("Points where another policy is faster than best: {}\n", all.size());
    Table table;
    for (std::size_t i = 0; i < std::min(shown, all.size()); ++i)
        table.row({routine_name(all[i].one), all[i].by, fmt::format("{:.3f}", all[i].ratio)});
    fmt::print("{}", table.text());
    if (all.size() > shown) fmt::print("  ... all of them with --json\n");
}

Json to_json(const Section& section) {
    Json json;
    for (const ReportRow& row : section.rows)
        for (std::size_t i = 0; i < row.cells.size(); ++i) {
            const Cell& cell = row.cells[i];
            Json& place = json[row.label][section.columns[i]];
            if (cell.reported()) place["paper"] = cell.paper;
            place["simulated"] = cell.simulated;
            if (cell.reported()) place["off"] = cell.off();
        }
    return json;
}

Json to_json(const Evaluator::All& points) {
    Json json = Json::array();
    for (const auto& [key, value] : points) {
        const Case& one = key.first;
        json.push_back({{"routine", name_of(one.routine)},
                        {"type", std::string(1, letter_of(one.type))},
                        {"m", one.m},
                        {"n", one.n},
                        {"k", one.k},
                        {"at", one.at},
                        {"gpus", one.gpus},
                        {"policy", key.second},
                        {"seconds", value.seconds},
                        {"bound_seconds", value.bound_seconds}});
    }
    return json;
}

Json to_json(const Evaluator& e, const std::vector<Section>& sections) {
    Json json;
    for (const Section& section : sections) json[section.key] = to_json(section);
    json["beaten"] = Json::array();
    for (const Beaten& b : beaten_points(e))
        json["beaten"].push_back({{"case", routine_name(b.one)}, {"by", b.by}, {"ratio", b.ratio}});
    json["points"] = to_json(e.all());
    return json;
}

void print_report(const Evaluator& e, const std::vector<Section>& sections) {
    fmt::print("Simulated on {}; each cell is reported / simulated, * when over 15 % apart\n\n",
               e.machine().name);
    for (const Section& section : sections) fmt::print("{}\n", to_text(section));
    print_beaten(beaten_points(e));
    fmt::print("\n{}", agreement(sections));
}

}  // namespace

int report(const Evaluator& e, const std::vector<Section>& sections, bool json) {
    if (json)
        fmt::print("{}\n", to_json(e, sections).dump(2));
    else
        print_report(e, sections);
    return ok;
}

}  // namespace gemmill::command
