// SPDX-License-Identifier: Apache-2.0
#include "reproduce_report.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "common.hpp"

namespace gemmill::command {
namespace {

std::string number(double value) { return fmt::format("{:.{}f}", value, value < 9.995 ? 2 : 1); }

std::string text_of(const Cell& cell) {
    if (std::isnan(cell.simulated)) return "-";
    if (!cell.reported()) return number(cell.simulated) + " ";
    return fmt::format("{} / {}{}", number(cell.paper), number(cell.simulated),
                       cell.off() ? "*" : " ");
}

}  // namespace

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

nlohmann::ordered_json to_json(const Section& section) {
    nlohmann::ordered_json json;
    for (const ReportRow& row : section.rows)
        for (std::size_t i = 0; i < row.cells.size(); ++i) {
            const Cell& cell = row.cells[i];
            auto& place = json[row.label][section.columns[i]];
            if (cell.reported()) place["paper"] = cell.paper;
            place["simulated"] = cell.simulated;
            if (cell.reported()) place["off"] = cell.off();
        }
    return json;
}

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

}  // namespace gemmill::command
