// SPDX-License-Identifier: Apache-2.0
// What a plan does and costs, in words and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "gemmill/plan.hpp"
#include "gemmill/problem.hpp"

namespace gemmill::command {

/// "dgemm nn 1024 x 1024 x 1024, A B C at host,host,gpu0".
std::string describe(const Machine& machine, const Problem& problem);

/// "A 2.15 GB, B 2.15 GB, C 0 B": what is fetched of the user's own matrices.
std::string reads_text(const Statistics& statistics);

/// A table of at most 80 columns: time, bytes, devices.
std::string summary(const Plan& plan, double plan_seconds);

/// The keys that scripts rely on; docs/command.md lists them.
nlohmann::ordered_json summary_json(const Plan& plan, double plan_seconds);

}  // namespace gemmill::command
