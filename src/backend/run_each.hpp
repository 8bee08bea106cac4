// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>

namespace gemmill {

/// Calls f(0) to f(count - 1) at the same time, as far as there are threads, and rethrows the first
/// of their exceptions when all have ended.
void run_each(std::size_t count, const std::function<void(std::size_t)>& f);

}  // namespace gemmill
