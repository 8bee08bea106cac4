// SPDX-License-Identifier: Apache-2.0
#include "reproduce/measured_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/text.hpp"
#include "gemmill/error.hpp"
#include "planner/policy.hpp"

namespace gemmill::command {
namespace {

constexpr std::array<std::string_view, 11> columns{
    "gpus", "m", "n", "k", "a_at", "b_at", "c_at", "library", "tile", "seconds", "tflops"};

/// One line of the file, cut at its commas.
struct Line {
    int number = 0;
    std::vector<std::string> cells;
};

[[noreturn]] void fail_line(int number, const std::string& text) {
    throw Error(Code::parse, fmt::format("line {}: {}", number, text));
}

std::vector<Line> cut(std::string_view text) {
    std::vector<Line> lines;
    int number = 0;
    for (std::string line : split(text, '\n')) {
        ++number;
        if (line.ends_with('\r')) line.pop_back();
        if (!line.empty()) lines.push_back({number, split(line, ',')});
    }
    return lines;
}

/// Where each column stands in a line.
std::map<std::string_view, std::size_t> places_of(const Line& head) {
    std::map<std::string_view, std::size_t> places;
    for (const std::string_view column : columns) {
        const auto found = std::ranges::find(head.cells, column);
        if (found == head.cells.end())
            fail_line(head.number, fmt::format("no column '{}'", column));
        places[column] = static_cast<std::size_t>(found - head.cells.begin());
    }
    return places;
}

MeasuredRow row_of(const Line& line, const std::map<std::string_view, std::size_t>& places) {
    const auto cell = [&](std::string_view column) -> const std::string& {
        return line.cells[places.at(column)];
    };
    const auto size = [&](std::string_view column) {
        const index_t value = parse_integer(cell(column), column);
        require(value >= 1, Code::parse, "", fmt::format("{}: {} is less than 1", column, value));
        return value;
    };
    MeasuredRow row;
    row.line = line.number;
    gpu_subset(size("gpus"));
    row.one = {Type::d,
               size("m"),
               size("n"),
               size("k"),
               fmt::format("{},{},{}", cell("a_at"), cell("b_at"), cell("c_at")),
               static_cast<int>(size("gpus"))};
    row.library = cell("library");
    Options options;
    options.policy = row.library;
    resolve_policy(options);
    row.seconds = parse_real(cell("seconds"), "seconds");
    require(std::isfinite(row.seconds) && row.seconds > 0, Code::parse, "",
            fmt::format("seconds: {} is not above 0", shown(cell("seconds"))));
    return row;
}

}  // namespace

std::vector<MeasuredRow> parse_measured(std::string_view text) {
    const std::vector<Line> lines = cut(text);
    require(lines.size() > 1, Code::parse, "", "no rows");
    const auto places = places_of(lines.front());
    std::map<std::pair<Case, std::string>, int> seen;
    std::vector<MeasuredRow> rows;
    for (std::size_t i = 1; i < lines.size(); ++i) {
        const Line& line = lines[i];
        if (line.cells.size() != lines.front().cells.size())
            fail_line(line.number, fmt::format("{} cells, the first line has {}", line.cells.size(),
                                               lines.front().cells.size()));
        try {
            rows.push_back(row_of(line, places));
        } catch (const Error& error) {
            fail_line(line.number, error.text());
        }
        const auto [place, fresh] =
            seen.try_emplace({rows.back().one, rows.back().library}, line.number);
        if (!fresh)
            fail_line(line.number,
                      fmt::format("the same case and library as line {}", place->second));
    }
    return rows;
}

}  // namespace gemmill::command
