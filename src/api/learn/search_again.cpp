// SPDX-License-Identifier: Apache-2.0
#include "api/learn/search_again.hpp"

#include <algorithm>
#include <cmath>

namespace gemmill {
namespace {

constexpr double shortest = 1e-3;  // what is shorter would take thousands of calls
constexpr double share = 0.02;     // of all calls, as the first search is of one
/// Four times what the first search of a short call has, and what one waits for at most.
constexpr double least = 0.02, most = 0.5;

}  // namespace

bool is_searched_again(double predicted) noexcept { return predicted >= shortest; }

double seconds_to_search(double predicted, std::int64_t calls) noexcept {
    if (!is_searched_again(predicted)) return 0;
    const double search = std::clamp(predicted, least, most);
    const auto due = static_cast<std::int64_t>(std::ceil(search / (share * predicted)));
    return calls == due ? search : 0;
}

}  // namespace gemmill
