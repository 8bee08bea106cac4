// SPDX-License-Identifier: Apache-2.0
// How large the bricks of a tree are.
#pragma once

#include <array>
#include <vector>

#include "rank/owners/brick_tree.hpp"

namespace gemmill {

/// Indices along m, n and k, by brick.
using BrickSize = std::array<index_t, 3>;
std::vector<BrickSize> brick_sizes(const BrickTree& tree, const ProductOwners& owners);

/// Bricks of the same size.
struct BrickKind {
    std::array<double, 3> size{};
    double count = 0;
};
std::vector<BrickKind> brick_kinds(const BrickTree& tree, const ProductOwners& owners);
/// Elements of A, B and C that all of them have: m k + k n + m n of each.
double touched_by(const std::vector<BrickKind>& bricks);

}  // namespace gemmill
