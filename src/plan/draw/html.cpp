// SPDX-License-Identifier: Apache-2.0
// A timeline as one page that needs no network: the data beside a script that draws what is in
// view.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

#include "gemmill/plan.hpp"
#include "plan/draw/html_page.hpp"
#include "plan/draw/rows.hpp"
#include "plan/ops.hpp"

namespace gemmill {
namespace {

/// JSON for a script element: no '<', which could end it. In JSON that stands only in strings.
std::string script_json(const nlohmann::json& value) {
    const std::string plain = value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    std::string text;
    for (const char c : plain) {
        if (c == '<')
            text += "\\u003c";
        else
            text += c;
    }
    return text;
}

std::string html_text(std::string_view text) {
    std::string result;
    for (const char c : text) {
        if (c == '<')
            result += "&lt;";
        else if (c == '&')
            result += "&amp;";
        else
            result += c;
    }
    return result;
}

class DataWriter {
  public:
    DataWriter(const Plan& plan, const Timeline& timeline, const Picture& picture)
        : plan_(plan), timeline_(timeline), picture_(picture) {}

    std::string write() {
        put("{{\"title\":{},\"result\":{},\"groups\":{},", script_json(picture_.title),
            script_json(picture_.result), script_json(picture_.groups));
        const double bound = plan_.prediction.bound_seconds;
        const bool good = std::isfinite(bound) && bound <= 2 * picture_.end;
        put("\"end\":{},\"bound\":{},", nanoseconds(picture_.end), good ? nanoseconds(bound) : 0);
        put("\"paints\":{},\"ops\":{},\"tiles\":{},\n\"rows\":[", paint_list(), op_list(),
            tile_list());
        for (bool first = true; const Row& row : picture_.rows) {
            text_ += first ? "\n" : ",\n";
            first = false;
            write_row(row);
        }
        put("]}}");
        return std::move(text_);
    }

  private:
    template <class... Args>
    void put(fmt::format_string<Args...> format, Args&&... args) {
        fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
    }

    static std::string paint_list() {
        nlohmann::json list = nlohmann::json::array();
        for (const Paint& paint : paints) list.push_back({paint.name, paint.colour});
        return script_json(list);
    }

    static std::string op_list() {
        nlohmann::json list = nlohmann::json::array();
        for (const OpInfo& info : op_table) list.push_back(info.name);
        return script_json(list);
    }

    std::string tile_list() const {
        nlohmann::json list = nlohmann::json::array();
        for (const Tile& tile : plan_.tiles) list.push_back(name_of(plan_, tile));
        return script_json(list);
    }

    void write_row(const Row& row) {
        put("{{\"name\":{},\"group\":{},\"steps\":[", script_json(row.name), row.group);
        for (bool first = true; const StepId id : row.steps) {
            if (!first) text_ += ',';
            first = false;
            write_step(id);
        }
        put("]}}");
    }

    void write_step(StepId id) {
        const Step& step = plan_.steps[id];
        const std::int64_t begin = nanoseconds(timeline_[id].begin);
        const std::int64_t end = std::max(begin, nanoseconds(timeline_[id].end));
        put("{},{},{},{},{},{},{}", id, paint_of(plan_, step), begin, end - begin, step.out.tile,
            bytes_over_link(plan_, step), static_cast<int>(step.op));
    }

    const Plan& plan_;
    const Timeline& timeline_;
    const Picture& picture_;
    std::string text_;
};

void replace(std::string& page, std::string_view mark, const std::string& text) {
    page.replace(page.find(mark), mark.size(), text);
}

}  // namespace

std::string draw_html(const Plan& plan, const Timeline& timeline) {
    const Picture picture = picture_of(plan, timeline);
    std::string page(html_page);
    // The data goes in first: a title could hold its mark.
    replace(page, "@DATA@", DataWriter(plan, timeline, picture).write());
    replace(page, "@TITLE@", html_text(picture.title));
    return page;
}

}  // namespace gemmill
