// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "gemmill/error.hpp"
#include "planner/draft.hpp"

namespace gemmill {

/// Lets `make` fill in the plan. False when something does not fit or links are missing; the plan
/// is then as it was.
template <class Make>
bool try_plan(Draft& plan, Make make) {
    Draft attempt = plan;
    try {
        make(attempt);
    } catch (const Error& error) {
        if (error.code() != Code::out_of_memory && error.code() != Code::no_device) throw;
        return false;
    }
    plan = std::move(attempt);
    return true;
}

}  // namespace gemmill
