// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gemmill/error.hpp"
#include "planner/draft.hpp"

namespace gemmill {

/// Lets `make` fill in a plan without steps. False when something does not fit or links are
/// missing; the plan is then as it was. What takes more steps than there may be is given up for
/// good: that much work is done.
template <class Make>
bool try_plan(Draft& plan, Make make) {
    try {
        make(plan);
    } catch (const Error& error) {
        if (error.code() != Code::out_of_memory && error.code() != Code::no_device) throw;
        if (static_cast<double>(plan.steps.size()) >= plan.most_steps) throw;
        clear(plan);
        return false;
    }
    return true;
}

}  // namespace gemmill
