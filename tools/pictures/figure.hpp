// SPDX-License-Identifier: Apache-2.0
// Charts as SVG: lines and grouped bars, with axes from 0 and a legend.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace gemmill::command {

/// A dashed horizontal line with a name.
struct Level {
    std::string name;
    double value = 0;
};

struct Point {
    double x = 0, y = 0;
};
struct Line {
    std::string name;
    std::vector<Point> points;
};
struct LineChart {
    std::string title, x_label, y_label;
    std::vector<Line> lines;
    std::optional<Level> level = {};
};

/// One bar a group. `marks`, when there are any, are drawn across the bars; NaN: none.
struct Bars {
    std::string name;
    std::vector<double> values;
    std::vector<double> marks = {};
};
struct BarChart {
    std::string title, x_label, y_label;
    std::vector<std::string> groups;
    std::vector<Bars> bars;
    std::string mark_name = {};  ///< what marks are, for the legend; empty: there are none
    std::optional<Level> level = {};
};

std::string draw(const LineChart& chart);
std::string draw(const BarChart& chart);

}  // namespace gemmill::command
