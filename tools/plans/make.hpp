// SPDX-License-Identifier: Apache-2.0
// Plans from the flags of a call: made or loaded, and drawn.
#pragma once

#include <string>
#include <vector>

#include "command/flags.hpp"
#include "gemmill/plan.hpp"
#include "planner/planner.hpp"

namespace gemmill::command {

/// A plan, and what it took to make.
struct MadePlan {
    Plan plan;
    double seconds = 0;
    std::vector<Tried> tried;  ///< every plan that was made on the way
};
/// Makes it from the flags.
MadePlan plan_of(const CallFlags& flags);
/// Reads --plan; the prediction is made again. Throws Error(invalid_plan) when it has faults.
Plan saved_plan(const std::string& path);
/// Throws Error(invalid_plan) with the first faults.
void require_valid(const Plan& plan, const std::string& what);

/// --svg, --html and --trace of a timeline.
bool wants_drawing(const CallFlags& flags);
void draw(const CallFlags& flags, const Plan& plan, const Timeline& timeline);

}  // namespace gemmill::command
