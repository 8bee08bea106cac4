// SPDX-License-Identifier: Apache-2.0
#include "planner/policy.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "gemmill/error.hpp"

namespace gemmill {

const std::vector<Policy>& policies() {
    static const std::vector<Policy> table{
        {"best", "everything below switched on", true, true},
        {"naive", "each product fetches its own tiles, one step after the other", false, false},
    };
    return table;
}

const Policy& find_policy(std::string_view name) {
    const auto& table = policies();
    const auto row = std::ranges::find(table, name, &Policy::name);
    if (row != table.end()) return *row;
    std::vector<std::string> known;
    for (const Policy& policy : table) known.emplace_back(policy.name);
    throw Error(Code::bad_argument,
                fmt::format("unknown policy '{}'; there are {}", name, join(known, ", ")));
}

}  // namespace gemmill
