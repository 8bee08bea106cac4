// SPDX-License-Identifier: Apache-2.0
// Whether buffers should be padded to the grain of the devices.
#pragma once

#include "planner/choice.hpp"
#include "planner/draft.hpp"

namespace gemmill {

/// Of the plan of a candidate.
index_t grain_for(const Draft& frame, const Choice& choice);

/// Whether padding can make a difference: sizes are no multiples of the grain, and kernels of this
/// type mind.
bool can_pad(const Draft& frame);

/// Whether it is likely to pay: kernels of odd sizes would take longer than what no plan can beat.
/// Where links are the limit, whole columns that lie one behind the other travel a little faster
/// than padded ones.
bool should_pad(const Draft& frame, const std::vector<DeviceId>& devices);

}  // namespace gemmill
