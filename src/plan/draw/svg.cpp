// SPDX-License-Identifier: Apache-2.0
// A timeline as a still picture: a row a queue, bars coloured by kind of step.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <optional>

#include "base/text.hpp"
#include "gemmill/plan.hpp"
#include "plan/draw/rows.hpp"

namespace gemmill {
namespace {

// Pixels.
constexpr double width = 1200, left = 150, right = 24, chart = width - left - right;
constexpr double head = 84, bar = 14, row_pitch = 18, group_gap = 10, foot = 44;
constexpr double sliver = 0.3;

constexpr std::size_t most_titles = 5000;

std::string escaped(std::string_view text) {
    std::string result;
    for (const char c : text) {
        switch (c) {
            case '<':
                result += "&lt;";
                break;
            case '>':
                result += "&gt;";
                break;
            case '&':
                result += "&amp;";
                break;
            case '"':
                result += "&quot;";
                break;
            default:
                result += c >= ' ' && c <= '~' ? c : '?';
        }
    }
    return result;
}

/// Shortens from the right to what fits `most` characters.
std::string fitted(std::string text, std::size_t most) {
    if (text.size() <= most) return text;
    return text.substr(0, most - 2) + "..";
}

/// The unit that a whole axis uses.
struct Unit {
    const char* name;
    double seconds;
};
Unit unit_of(double end) {
    if (end < 1e-3) return {"us", 1e-6};
    if (end < 1) return {"ms", 1e-3};
    return {"s", 1};
}

/// Distance of ticks: 1, 2 or 5 times a power of ten, about ten of them.
double tick_of(double end) {
    const double rough = end / 10;
    const double power = std::pow(10.0, std::floor(std::log10(rough)));
    for (const double factor : {1.0, 2.0, 5.0})
        if (rough <= factor * power * 1.001) return factor * power;
    return 10 * power;
}

/// A bar to be drawn: one step, or several slivers of one colour.
struct Bar {
    double begin = 0, end = 0;  // pixels from the chart's left edge
    std::size_t paint = 0;
    StepId step = -1;
    int merged = 1;
};

class SvgWriter {
  public:
    SvgWriter(const Plan& plan, const Timeline& timeline)
        : plan_(plan), timeline_(timeline), picture_(picture_of(plan, timeline)) {
        // A measured run may end before the bound; a bound far behind would squeeze the bars.
        const double bound = plan.prediction.bound_seconds;
        end_ = bound < 2 * picture_.end ? std::max(bound, picture_.end) : picture_.end;
        end_ = std::max(end_, 1e-9);
        bottom_ = head;
        for (int group = -1; const Row& row : picture_.rows) {
            if (row.group != group && group >= 0) bottom_ += group_gap;
            group = row.group;
            tops_.push_back(bottom_);
            bottom_ += row_pitch;
        }
    }

    std::string write() {
        for (const Row& row : picture_.rows) bars_.push_back(merge(row));
        for (const auto& row : bars_) count_ += row.size();
        open();
        groups();
        axis();
        for (std::size_t i = 0; i < picture_.rows.size(); ++i) draw_row(i);
        bound();
        put("</svg>\n");
        return std::move(text_);
    }

  private:
    template <class... Args>
    void put(fmt::format_string<Args...> format, Args&&... args) {
        fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
    }

    double x_of(double seconds) const { return seconds / end_ * chart; }

    /// Bars of a row. A sliver joins the last bar of its colour when that is near and still narrow,
    /// so a row has at most a few bars a pixel and mixed colours stay mixed.
    std::vector<Bar> merge(const Row& row) const {
        std::vector<Bar> bars;
        std::array<std::optional<std::size_t>, paints.size()> last;
        for (const StepId id : row.steps) {
            const StepTime& time = timeline_[id];
            const std::size_t paint = paint_of(plan_, plan_.steps[id]);
            const double begin = x_of(time.begin), end = std::max(x_of(time.end), begin);
            auto& open = last[paint];
            const bool joins = open && end - begin < sliver && begin - bars[*open].end < sliver &&
                               end - bars[*open].begin < 1;
            if (joins) {
                bars[*open].end = std::max(end, bars[*open].end);
                ++bars[*open].merged;
            } else {
                open = bars.size();
                bars.push_back({begin, end, paint, id, 1});
            }
        }
        return bars;
    }

    void open() {
        put("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
            "viewBox=\"0 0 {0} {1}\" font-family=\"Helvetica, Arial, sans-serif\" "
            "font-size=\"12\" fill=\"#222\">\n<style>",
            width, bottom_ + foot);
        for (std::size_t i = 0; i < paints.size(); ++i) put(".p{}{{fill:{}}}", i, paints[i].colour);
        put(".n{{font-size:9px}}.w{{stroke:#fff;stroke-width:.6}}</style>\n");
        put("<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n");
        put("<text x=\"16\" y=\"24\" font-size=\"15\" font-weight=\"bold\">{}</text>\n",
            escaped(fitted(picture_.title, 145)));
        put("<text x=\"16\" y=\"44\" fill=\"#444\">{}</text>\n", escaped(picture_.result));
        legend();
    }

    void legend() {
        double x = left;
        for (std::size_t i = 0; i < paints.size(); ++i) {
            put("<rect class=\"p{}\" x=\"{}\" y=\"57\" width=\"12\" height=\"12\"/>"
                "<text x=\"{}\" y=\"67\">{}</text>\n",
                i, x, x + 17, paints[i].name);
            x += 84;
        }
    }

    void groups() {
        const auto& rows = picture_.rows;
        for (std::size_t first = 0, i = 0; i < rows.size(); ++i) {
            if (i + 1 < rows.size() && rows[i + 1].group == rows[i].group) continue;
            band(tops_[first] - 3, tops_[i] + row_pitch + 1);
            first = i + 1;
        }
    }

    void band(double top, double end) {
        put("<rect class=\"group\" x=\"8\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"3\" "
            "fill=\"#f4f5f7\"/>\n",
            top, width - 16, end - top);
    }

    void axis() {
        const Unit unit = unit_of(end_);
        const double tick = tick_of(end_ / unit.seconds);
        for (int i = 0; i * tick <= end_ / unit.seconds * 1.0001; ++i) {
            const double x = left + x_of(i * tick * unit.seconds);
            put("<path d=\"M{0:.2f} {1}V{2}\" stroke=\"#d5d8dc\"/><text x=\"{0:.2f}\" y=\"{3}\" "
                "text-anchor=\"middle\" fill=\"#555\">{4:.6g}{5}</text>\n",
                x, head - 4, bottom_ + 4, bottom_ + 20, i * tick,
                i == 0 ? std::string(" ") + unit.name : "");
        }
    }

    void draw_row(std::size_t index) {
        const Row& row = picture_.rows[index];
        put("<g class=\"row\"><text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text></g>\n",
            left - 8, tops_[index] + 11, escaped(fitted(row.name, 24)));
        put("<g transform=\"translate({} {})\">\n", left, tops_[index]);
        for (const Bar& b : bars_[index]) draw_bar(b);
        put("</g>\n");
    }

    void draw_bar(const Bar& b) {
        const double wide = b.end - b.begin;
        put("<rect class=\"p{}{}\" x=\"{:.2f}\" width=\"{:.2f}\" height=\"{}\"", b.paint,
            wide > 3 ? " w" : "", b.begin, std::max(wide, sliver), bar);
        if (count_ < most_titles)
            put("><title>{}</title></rect>\n", escaped(tooltip(b)));
        else
            put("/>\n");
        const std::string name = tile_name(plan_, plan_.steps[b.step]);
        if (b.merged == 1 && wide > 5.2 * static_cast<double>(name.size()) + 6)
            put("<text class=\"n\" x=\"{:.2f}\" y=\"10\" text-anchor=\"middle\" "
                "pointer-events=\"none\">{}</text>\n",
                (b.begin + b.end) / 2, name);
    }

    std::string tooltip(const Bar& b) const {
        if (b.merged > 1) return fmt::format("{} steps: {}", b.merged, paints[b.paint].name);
        const Step& step = plan_.steps[b.step];
        const StepTime& time = timeline_[b.step];
        std::string text =
            fmt::format("step {}: {} {}, {} to {} ({})", b.step, name_of(step.op),
                        tile_name(plan_, step), human_seconds(time.begin), human_seconds(time.end),
                        human_seconds(time.end - time.begin));
        const std::int64_t bytes = bytes_over_link(plan_, step);
        if (bytes > 0) text += ", " + human_bytes(static_cast<double>(bytes));
        if (step.pieces > 1) text += fmt::format(", piece {}/{}", step.piece, step.pieces);
        return text;
    }

    void bound() {
        const double seconds = plan_.prediction.bound_seconds;
        if (!(seconds > 0 && seconds <= end_)) return;
        const double x = left + x_of(seconds);
        put("<path d=\"M{0:.2f} {1}V{2}\" stroke=\"#c0392b\" stroke-dasharray=\"5 3\"/>"
            "<text x=\"{0:.2f}\" y=\"{3}\" text-anchor=\"{4}\" fill=\"#c0392b\">bound</text>\n",
            x, head - 8, bottom_ + 24, bottom_ + 36, x > width - 60 ? "end" : "middle");
    }

    const Plan& plan_;
    const Timeline& timeline_;
    Picture picture_;
    double end_ = 0;     // seconds at the chart's right edge
    double bottom_ = 0;  // pixels
    std::vector<double> tops_;
    std::vector<std::vector<Bar>> bars_;
    std::size_t count_ = 0;
    std::string text_;
};

}  // namespace

std::string draw_svg(const Plan& plan, const Timeline& timeline) {
    return SvgWriter(plan, timeline).write();
}

}  // namespace gemmill
