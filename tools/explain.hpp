// SPDX-License-Identifier: Apache-2.0
// Why a plan is as it is: what was chosen, and what else was tried.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "gemmill/options.hpp"
#include "gemmill/plan.hpp"

namespace gemmill::command {

/// The plan must have been made with these options; it is made again to see what was tried.
std::string explanation(const Plan& plan, const Options& options);
nlohmann::ordered_json explanation_json(const Plan& plan, const Options& options);

}  // namespace gemmill::command
