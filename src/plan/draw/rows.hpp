// SPDX-License-Identifier: Apache-2.0
// What all pictures of a timeline share: rows, colours, names, the title.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "gemmill/plan.hpp"

namespace gemmill {

/// One queue with at least one step.
struct Row {
    QueueId queue = -1;
    int group = 0;  ///< index in Picture::groups
    std::string name;
    std::vector<StepId> steps;  ///< by begin
};

/// Rows grouped by device: its compute queues, the links into it, the links out of it.
struct Picture {
    std::vector<std::string> groups;
    std::vector<Row> rows;
    double end = 0;      ///< of the last step, seconds
    std::string title;   ///< problem, machine, policy
    std::string result;  ///< makespan, rate, bound
};

/// Throws Error(bad_argument) when the timeline does not belong to the plan.
Picture picture_of(const Plan& plan, const Timeline& timeline);

/// What a colour stands for.
struct Paint {
    const char* name;
    const char* colour;
};
inline constexpr std::array<Paint, 7> paints{{
    {"fetch A", "#8ecae6"},
    {"fetch B", "#4f9bd0"},
    {"fetch C", "#b79ad6"},
    {"compute", "#84c27f"},
    {"add", "#f2c744"},
    {"write", "#ec8a5e"},
    {"mirror", "#c2a878"},
}};
/// The index in paints of a step.
std::size_t paint_of(const Plan& plan, const Step& step);

/// Name of the tile that a step makes.
std::string tile_name(const Plan& plan, const Step& step);
/// Bytes that a step moves over a link; 0 for kernels.
std::int64_t bytes_over_link(const Plan& plan, const Step& step);

/// A time in whole nanoseconds: equal times stay equal, so bars that touch do not overlap.
std::int64_t nanoseconds(double seconds);

}  // namespace gemmill
