// SPDX-License-Identifier: Apache-2.0
// Which choice each stage of the planner takes; a policy is a named row of such choices.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gemmill {

struct Policy {
    std::string_view name;
    std::string_view help;
    bool caching = true;  ///< a tile that is on a device is used again, not fetched again
    bool overlap = true;  ///< fetch, compute and write-back run on queues of their own
};

const std::vector<Policy>& policies();
/// Throws Error(bad_argument) with the known names.
const Policy& find_policy(std::string_view name);

}  // namespace gemmill
