// SPDX-License-Identifier: Apache-2.0
// A plan that serves many calls is worth more work than one call can bear: it is looked for once
// more when that is still a small part of all calls.
#pragma once

#include <cstdint>

namespace gemmill {

/// Whether calls of a plan with this prediction are counted at all.
bool is_searched_again(double predicted) noexcept;

/// Seconds for which its plan is looked for at this call of a problem; 0: not now. About as long as
/// a call takes, at the call with which that is a fiftieth of all of them, and once.
double seconds_to_search(double predicted, std::int64_t calls) noexcept;

}  // namespace gemmill
