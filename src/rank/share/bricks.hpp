// SPDX-License-Identifier: Apache-2.0
// Bricks for ranks: which indices each has, and which rank makes it.
#pragma once

#include <vector>

#include "rank/share/deal.hpp"
#include "rank/share/work.hpp"

namespace gemmill {

/// Bricks that send so much more than those that send least may be the better ones: what they send
/// may be shared more evenly among ranks.
inline constexpr double as_frugal = 1.05;

/// The owners of a product; nobody's where there are so many ranks that it would take long to
/// follow what they store.
ProductOwners brick_owners(const DistUpdate& update, int ranks);

/// Bricks that were dealt, and elements of A, B and sums of C that ranks get from others for them:
/// all together, and the one that gets most.
struct DealtBricks {
    Bricks bricks;
    Dealt dealt;
    double sent = 0, busiest = 0;
};

/// The likely bricks, those that send least first, without some of which the bound says that they
/// are not as frugal as one of these.
std::vector<DealtBricks> frugal_bricks(const DistUpdate& update, const ProductOwners& owners,
                                       int ranks);

Work work_of(const DealtBricks& bricks, const ProductOwners& owners, int ranks);

}  // namespace gemmill
