// SPDX-License-Identifier: Apache-2.0
// Where planners and the scheduler meet.
#pragma once

#include <functional>
#include <vector>

#include "planner/planner.hpp"

namespace gemmill {

/// Does work in a thread of its own; when it is waited for, where there can be none.
std::function<void()> do_aside(const std::function<void()>& work);

/// As make_plan(), with the scheduler for policy dynamic and as a candidate of best.
Plan plan_problem(const Problem& problem, const Machine& machine, const Options& options,
                  std::vector<Tried>* tried = nullptr, const Aside& aside = do_aside);

}  // namespace gemmill
