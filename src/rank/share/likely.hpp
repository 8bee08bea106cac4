// SPDX-License-Identifier: Apache-2.0
// Which bricks are worth being priced.
#pragma once

#include <vector>

#include "rank/share/work.hpp"

namespace gemmill {

/// The few of which a rank would have to get least, if its brick had as much of what the rank
/// stores as a brick of that size can have; least first. All ranks have work, and equally much.
std::vector<Bricks> likely_bricks(const DistUpdate& update, int ranks);

}  // namespace gemmill
