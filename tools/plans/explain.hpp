// SPDX-License-Identifier: Apache-2.0
// Why a plan is as it is: what was chosen, and what else was tried.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "plans/make.hpp"

namespace gemmill::command {

/// What was chosen, in words, and a table of all that was tried.
std::string explanation(const MadePlan& made);
nlohmann::ordered_json explanation_json(const MadePlan& made);

}  // namespace gemmill::command
