// SPDX-License-Identifier: Apache-2.0
// Policy tail: what devices begin as a static plan has it, before the rest is dealt on demand.
#pragma once

#include <span>
#include <vector>

#include "gemmill/plan.hpp"
#include "task/tasks.hpp"

namespace gemmill {

/// Tasks of each device, in the order in which it begins them. Tasks in none are dealt on demand;
/// an empty deal leaves all to that.
using Deal = std::vector<std::vector<TaskId>>;

/// Who began which task in a plan, but for the last ones: a share `tail` of all. Tasks that the
/// plan does not compute as they are, or computes on none of the devices, are left out as well.
Deal deal_of(const Plan& plan, const Tasks& tasks, std::span<const DeviceId> devices, double tail);

/// Where tasks read the new targets of others: each chain of them to one device of the plan, which
/// then has what the next task reads; as many chains to each as it is fast, and of all its chains
/// the first tasks first. Empty where tasks do not wait for each other so, or where there are fewer
/// chains than devices.
Deal deal_of_chains(const Plan& plan, const Tasks& tasks);

}  // namespace gemmill
