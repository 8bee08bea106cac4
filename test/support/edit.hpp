// SPDX-License-Identifier: Apache-2.0
// Changes to finished plans.
#pragma once

#include <algorithm>
#include <vector>

#include "gemmill/plan.hpp"

namespace gemmill::test {

/// Takes a step out; waits that name it vanish and later ids move up.
inline void drop_step(Plan& plan, StepId id) {
    for (Step& s : plan.steps) {
        std::vector<StepId> kept;
        for (const StepId wait : waits_of(plan, s))
            if (wait != id) kept.push_back(wait > id ? wait - 1 : wait);
        std::ranges::copy(kept, plan.waits.begin() + s.wait_begin);
        s.wait_count = static_cast<std::int32_t>(kept.size());
    }
    plan.steps.erase(plan.steps.begin() + id);
}

/// Lets every buffer live as long as the plan, so that another fault is the first to be found.
inline void live_long(Plan& plan) {
    for (Buffer& buffer : plan.buffers) {
        buffer.first = 0;
        buffer.last = static_cast<StepId>(plan.steps.size());
    }
}

}  // namespace gemmill::test
