// SPDX-License-Identifier: Apache-2.0
// How the text form names queues: "gpu0.0" is the first compute queue of gpu0, "host:gpu0.0" the
// first queue of that link; "q3" where the machine's own names would not do.
#pragma once

#include <string>
#include <vector>

#include "gemmill/plan.hpp"

namespace gemmill {

/// By QueueId; each is there once.
std::vector<std::string> queue_names(const Plan& plan);

}  // namespace gemmill
