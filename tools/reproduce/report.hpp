// SPDX-License-Identifier: Apache-2.0
// Tables that hold a reported number beside a simulated one.
#pragma once

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "reproduce/reproduce.hpp"

namespace gemmill::command {

inline constexpr double not_reported = std::numeric_limits<double>::quiet_NaN();

struct Cell {
    double paper = 0;  ///< or not_reported
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

/// Prints "paper / simulated" in each cell, with * behind it when they are far apart, and every
/// point where another variant is faster than best; or all of it and every point as JSON. Returns
/// the exit code.
int report(const Evaluator& e, const std::vector<Section>& sections, bool json);

}  // namespace gemmill::command
