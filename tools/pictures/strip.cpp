// SPDX-License-Identifier: Apache-2.0
#include "pictures/strip.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.hpp"
#include "model/engine.hpp"

namespace gemmill::command {
namespace {

constexpr std::size_t columns = 34;  // of each half: two and a name make 80
constexpr std::array blocks{" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};

using Row = std::array<double, columns>;  // busy share of each column
struct DeviceRows {
    Row compute{}, fetch{};
};

/// Adds the part of each column that [begin, end) covers.
void cover(Row& row, const StepTime& time, double column_seconds) {
    const auto at = [&](double seconds) {
        return std::clamp(seconds / column_seconds, 0.0, static_cast<double>(columns));
    };
    const double begin = at(time.begin), end = at(time.end);
    for (auto i = static_cast<std::size_t>(begin); i < columns && static_cast<double>(i) < end; ++i)
        row[i] +=
            std::min(end, static_cast<double>(i + 1)) - std::max(begin, static_cast<double>(i));
}

std::string draw_row(const Row& row) {
    std::string text;
    for (const double busy : row) {
        const double level = std::clamp(busy, 0.0, 1.0) * (blocks.size() - 1);
        text += blocks[static_cast<std::size_t>(std::lround(std::ceil(level - 0.01)))];
    }
    return text;
}

/// The device that a link from the host leads to, or -1.
DeviceId fed_device(const Machine& machine, const Link& link) {
    if (machine.memories[static_cast<std::size_t>(link.from)].kind != MemoryKind::host) return -1;
    const auto device = std::ranges::find(machine.devices, link.to, &Device::memory);
    return device == machine.devices.end()
               ? -1
               : static_cast<DeviceId>(device - machine.devices.begin());
}

std::vector<DeviceRows> rows_of(const Plan& plan, const Timeline& timeline, double column_seconds) {
    std::vector<DeviceRows> rows(plan.machine.devices.size());
    for (std::size_t i = 0; i < timeline.size(); ++i) {
        const Queue& queue = plan.queues[static_cast<std::size_t>(plan.steps[i].queue)];
        const auto index = static_cast<std::size_t>(queue.index);
        if (queue.kind == QueueKind::compute) {
            cover(rows[index].compute, timeline[i], column_seconds);
        } else if (const DeviceId d = fed_device(plan.machine, plan.machine.links[index]); d >= 0) {
            cover(rows[static_cast<std::size_t>(d)].fetch, timeline[i], column_seconds);
        }
    }
    return rows;
}

}  // namespace

std::string draw_strip(const Plan& plan, const Timeline& timeline) {
    const double end = makespan(timeline);
    if (end <= 0) return "";
    const auto rows = rows_of(plan, timeline, end / static_cast<double>(columns));
    std::string text =
        fmt::format("{:<6} {:<{}}  {}\n", "", "computing", columns, "fetching from the host");
    for (const DeviceId d : plan.devices) {
        const auto i = static_cast<std::size_t>(d);
        text += fmt::format("{:<6} {}  {}\n", plan.machine.devices[i].name,
                            draw_row(rows[i].compute), draw_row(rows[i].fetch));
    }
    const std::string axis = fmt::format("0{:>{}}", human_seconds(end), columns - 1);
    return text + fmt::format("{:<6} {}  {}\n", "", axis, axis);
}

}  // namespace gemmill::command
