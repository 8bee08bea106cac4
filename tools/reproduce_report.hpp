// SPDX-License-Identifier: Apache-2.0
// Tables that hold a reported number beside a simulated one.
#pragma once

#include <cmath>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace gemmill::command {

struct Cell {
    double paper = 0;  ///< NaN: not reported
    double simulated = 0;

    bool reported() const { return !std::isnan(paper); }
    /// Simulated over reported, less one.
    double difference() const { return simulated / paper - 1; }
    /// Too far away to count as reproduced.
    bool off() const { return reported() && std::abs(difference()) > 0.15; }
};

struct ReportRow {
    std::string label;
    std::vector<Cell> cells;
};

struct Section {
    std::string key;    ///< in JSON
    std::string title;  ///< one line
    std::vector<std::string> columns;
    std::vector<ReportRow> rows = {};
};

/// "paper / simulated" in each cell, with * behind it when they are far apart.
std::string to_text(const Section& section);
nlohmann::ordered_json to_json(const Section& section);
/// How many reported numbers there are, and how many of them are off.
std::string agreement(const std::vector<Section>& sections);

}  // namespace gemmill::command
