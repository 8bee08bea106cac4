// SPDX-License-Identifier: Apache-2.0
// Waiting that ends: a rank that sends nothing for too long is named in an Error.
#pragma once

#include <functional>
#include <string>

#include "rank/message/transport.hpp"

namespace gemmill {

/// Calls `progress` until `is_over`, pausing where nothing happened. Throws Error(failed_step) when
/// nothing happened for as long as the transport is patient; `awaited` says who is to blame.
/// progress returns whether something happened.
void wait_until(Transport& transport, const std::function<bool()>& is_over,
                const std::function<bool()>& progress, const std::function<std::string()>& awaited);

}  // namespace gemmill
