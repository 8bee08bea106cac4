// SPDX-License-Identifier: Apache-2.0
#include "pictures/figure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace gemmill::command {
namespace {

constexpr double width = 900, height = 420;
constexpr double left = 64, right = 720, top = 44, bottom = 360;  // of the plot itself
constexpr double legend_left = right + 22, legend_step = 20;

// Told apart also by those who see colours differently.
constexpr std::array<const char*, 7> colours{"#0072B2", "#D55E00", "#009E73", "#E69F00",
                                             "#CC79A7", "#56B4E9", "#666666"};

const char* colour(std::size_t i) { return colours[i % colours.size()]; }

std::string escaped(const std::string& text) {
    std::string out;
    for (const char c : text) {
        if (c == '&')
            out += "&amp;";
        else if (c == '<')
            out += "&lt;";
        else if (c == '>')
            out += "&gt;";
        else
            out += c;
    }
    return out;
}

/// 1, 2 or 5 times a power of ten, so that `most` has about `count` of them.
double nice_step(double most, double count) {
    const double rough = most / count, power = std::pow(10, std::floor(std::log10(rough)));
    for (const double factor : {1.0, 2.0, 5.0})
        if (rough <= factor * power) return factor * power;
    return 10 * power;
}

/// Values from `low` to `high` laid out between two places of the picture.
struct Axis {
    double low = 0, high = 1, from = 0, to = 1;
    double at(double value) const { return from + (value - low) / (high - low) * (to - from); }
};

class Picture {
  public:
    Picture(const std::string& title, const std::string& x_label, const std::string& y_label) {
        text_ = fmt::format(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
            "viewBox=\"0 0 {0} {1}\" font-family=\"sans-serif\" font-size=\"12\">\n"
            "<rect width=\"{0}\" height=\"{1}\" fill=\"white\"/>\n",
            width, height);
        words({left, 24}, "start\" font-weight=\"bold\" font-size=\"14", title);
        words({(left + right) / 2, bottom + 44}, "middle", x_label);
        text_ += fmt::format(
            "<text transform=\"translate(18,{}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
            (top + bottom) / 2, escaped(y_label));
    }

    void words(Point at, const char* anchor, const std::string& text) {
        text_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", at.x,
                             at.y, anchor, escaped(text));
    }
    void stroke(Point from, Point to, const char* style) {
        text_ += fmt::format("<path d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\" {}/>\n", from.x, from.y,
                             to.x, to.y, style);
    }
    void bar(Point corner, double wide, const char* fill, const std::string& hint) {
        text_ += fmt::format(
            "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\">"
            "<title>{}</title></rect>\n",
            corner.x, corner.y, wide, bottom - corner.y, fill, escaped(hint));
    }
    void curve(const std::vector<Point>& points, const char* stroke_colour) {
        std::string path, dots;
        for (const Point& p : points) {
            path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", p.x, p.y);
            dots += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"{}\"/>\n", p.x,
                                p.y, stroke_colour);
        }
        text_ += fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"/>\n{}",
                             path, stroke_colour, dots);
    }
    void legend(const char* fill, const std::string& name) {
        const double y = top + legend_step * entries_++;
        text_ +=
            fmt::format("<rect x=\"{}\" y=\"{:.1f}\" width=\"12\" height=\"12\" fill=\"{}\"/>\n",
                        legend_left, y, fill);
        words({legend_left + 18, y + 11}, "start", name);
    }
    void legend_line(const char* style, const std::string& name) {
        const double y = top + legend_step * entries_++;
        stroke({legend_left - 3, y + 6}, {legend_left + 15, y + 6}, style);
        words({legend_left + 18, y + 11}, "start", name);
    }
    std::string done() { return text_ + "</svg>\n"; }

  private:
    std::string text_;
    int entries_ = 0;
};

constexpr const char* grid_style = "stroke=\"#dddddd\"";
constexpr const char* axis_style = "stroke=\"black\"";
constexpr const char* level_style = "stroke=\"black\" stroke-dasharray=\"6 4\"";
constexpr const char* mark_style = "stroke=\"black\" stroke-width=\"2\"";

/// Draws the axis with its grid lines; `most` is the largest value shown.
Axis y_axis(Picture& picture, double most) {
    const double step = nice_step(std::max(most, 1e-9), 6);
    const double high = step * std::ceil(std::max(most, 1e-9) / step - 1e-9);
    const Axis axis{0, high, bottom, top};
    for (int i = 0; step * i <= high * (1 + 1e-9); ++i) {
        const double y = axis.at(step * i);
        picture.stroke({left, y}, {right, y}, i == 0 ? axis_style : grid_style);
        picture.words({left - 8, y + 4}, "end", fmt::format("{:.10g}", step * i));
    }
    return axis;
}

Axis x_axis(Picture& picture, double most) {
    const double step = nice_step(std::max(most, 1e-9), 8);
    const Axis axis{0, most * 1.03, left, right};
    for (int i = 0; step * i <= most * (1 + 1e-9); ++i) {
        const double x = axis.at(step * i);
        picture.stroke({x, bottom}, {x, bottom + 5}, axis_style);
        picture.words({x, bottom + 20}, "middle", fmt::format("{:.10g}", step * i));
    }
    return axis;
}

void draw_level(Picture& picture, const Axis& y, const std::optional<Level>& level) {
    if (!level) return;
    picture.stroke({left, y.at(level->value)}, {right, y.at(level->value)}, level_style);
    picture.legend_line(level_style, level->name);
}

double largest(const BarChart& chart) {
    double most = chart.level ? chart.level->value : 0;
    for (const Bars& bars : chart.bars) {
        for (const double value : bars.values) most = std::max(most, value);
        for (const double mark : bars.marks)
            if (!std::isnan(mark)) most = std::max(most, mark);
    }
    return most;
}

/// The bars of one group, side by side.
void draw_group(Picture& picture, const BarChart& chart, std::size_t group, const Axis& y) {
    const double room = (right - left) / static_cast<double>(chart.groups.size());
    const double first = left + room * (static_cast<double>(group) + 0.1);
    const double wide = 0.8 * room / static_cast<double>(chart.bars.size());
    for (std::size_t i = 0; i < chart.bars.size(); ++i) {
        const Bars& bars = chart.bars[i];
        const double x = first + wide * static_cast<double>(i);
        picture.bar(
            {x, y.at(bars.values[group])}, wide, colour(i),
            fmt::format("{}, {}: {:.3g}", chart.groups[group], bars.name, bars.values[group]));
        if (bars.marks.empty() || std::isnan(bars.marks[group])) continue;
        const double mark = y.at(bars.marks[group]);
        picture.stroke({x, mark}, {x + wide, mark}, mark_style);
    }
    picture.words({first + 0.4 * room, bottom + 20}, "middle", chart.groups[group]);
}

}  // namespace

std::string draw(const LineChart& chart) {
    Picture picture(chart.title, chart.x_label, chart.y_label);
    double most_x = 0, most_y = chart.level ? chart.level->value : 0;
    for (const Line& line : chart.lines)
        for (const Point& p : line.points)
            most_x = std::max(most_x, p.x), most_y = std::max(most_y, p.y);
    const Axis x = x_axis(picture, most_x), y = y_axis(picture, most_y);
    for (std::size_t i = 0; i < chart.lines.size(); ++i) {
        std::vector<Point> places;
        for (const Point& p : chart.lines[i].points) places.push_back({x.at(p.x), y.at(p.y)});
        picture.curve(places, colour(i));
        picture.legend(colour(i), chart.lines[i].name);
    }
    draw_level(picture, y, chart.level);
    return picture.done();
}

std::string draw(const BarChart& chart) {
    Picture picture(chart.title, chart.x_label, chart.y_label);
    const Axis y = y_axis(picture, largest(chart));
    for (std::size_t i = 0; i < chart.groups.size(); ++i) draw_group(picture, chart, i, y);
    for (std::size_t i = 0; i < chart.bars.size(); ++i)
        picture.legend(colour(i), chart.bars[i].name);
    if (!chart.mark_name.empty()) picture.legend_line(mark_style, chart.mark_name);
    draw_level(picture, y, chart.level);
    return picture.done();
}

}  // namespace gemmill::command
