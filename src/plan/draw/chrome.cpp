// SPDX-License-Identifier: Apache-2.0
// A timeline as Chrome trace events, which Perfetto and chrome://tracing open.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "gemmill/plan.hpp"
#include "plan/draw/rows.hpp"

namespace gemmill {
namespace {

/// JSON string; bytes that are no UTF-8 are replaced.
std::string json_text(const std::string& text) {
    using nlohmann::json;
    return json(text).dump(-1, ' ', false, json::error_handler_t::replace);
}

class TraceWriter {
  public:
    TraceWriter(const Plan& plan, const Timeline& timeline)
        : plan_(plan), timeline_(timeline), picture_(picture_of(plan, timeline)) {}

    std::string write() {
        put("{{\"displayTimeUnit\":\"ms\",\"otherData\":{{\"title\":{},\"result\":{}}},",
            json_text(picture_.title), json_text(picture_.result));
        put("\"traceEvents\":[");
        for (std::size_t i = 0; i < picture_.groups.size(); ++i)
            name_event("process", {pid_of(static_cast<int>(i)), 0, i}, picture_.groups[i]);
        for (std::size_t i = 0; i < picture_.rows.size(); ++i) row_events(i);
        put("\n]}}\n");
        return std::move(text_);
    }

  private:
    template <class... Args>
    void put(fmt::format_string<Args...> format, Args&&... args) {
        fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
    }

    // Perfetto takes process and thread 0 for the idle task, so both count from 1.
    static int pid_of(int group) { return group + 1; }
    static int tid_of(QueueId queue) { return queue + 1; }

    void next_event() {
        text_ += first_ ? "\n" : ",\n";
        first_ = false;
    }

    struct Place {
        int pid, tid;
        std::size_t order;
    };

    void name_event(const char* what, Place place, const std::string& name) {
        next_event();
        put(R"({{"ph":"M","name":"{}_name","pid":{},"tid":{},"args":{{"name":{}}}}})", what,
            place.pid, place.tid, json_text(name));
        next_event();
        put(R"({{"ph":"M","name":"{}_sort_index","pid":{},"tid":{},"args":{{"sort_index":{}}}}})",
            what, place.pid, place.tid, place.order);
    }

    void row_events(std::size_t index) {
        const Row& row = picture_.rows[index];
        const Place place{pid_of(row.group), tid_of(row.queue), index};
        name_event("thread", place, row.name);
        for (const StepId id : row.steps) step_event(place, id);
    }

    void step_event(const Place& place, StepId id) {
        const Step& step = plan_.steps[id];
        const std::int64_t begin = nanoseconds(timeline_[id].begin);
        const std::int64_t end = std::max(begin, nanoseconds(timeline_[id].end));
        const std::string tile = tile_name(plan_, step);
        next_event();
        put(R"({{"ph":"X","name":"{} {}","cat":"{}","pid":{},"tid":{},"ts":{:.3f},"dur":{:.3f},)",
            name_of(step.op), tile, paints[paint_of(plan_, step)].name, place.pid, place.tid,
            static_cast<double>(begin) * 1e-3, static_cast<double>(end - begin) * 1e-3);
        put(R"("args":{{"step":{},"tile":"{}","bytes":{},)", id, tile,
            bytes_over_link(plan_, step));
        if (step.pieces > 1) put(R"("piece":"{}/{}",)", step.piece, step.pieces);
        put(R"("waits":[{}]}}}})", fmt::join(waits_of(plan_, step), ","));
    }

    const Plan& plan_;
    const Timeline& timeline_;
    Picture picture_;
    bool first_ = true;
    std::string text_;
};

}  // namespace

std::string chrome_trace(const Plan& plan, const Timeline& timeline) {
    return TraceWriter(plan, timeline).write();
}

}  // namespace gemmill
