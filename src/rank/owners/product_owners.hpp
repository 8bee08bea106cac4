// SPDX-License-Identifier: Apache-2.0
// Who has which indices of m, n and k of a product.
#pragma once

#include <array>
#include <cstdint>

#include "rank/owners/owners.hpp"
#include "rank/update/update.hpp"

namespace gemmill {

enum Dimension : std::uint8_t { along_m, along_n, along_k };

/// The owners of m (A and C), n (B and C) and k (A and B).
using ProductOwners = std::array<Owners, 3>;

/// A matrix that has a dimension: its other dimension, and which of that one's owners it is.
struct Partner {
    Dimension other;
    int owner;
};
/// By dimension, the matrices in the order of its owners.
inline constexpr std::array<std::array<Partner, 2>, 3> partners{{
    {{{along_k, 0}, {along_n, 1}}},
    {{{along_k, 1}, {along_m, 1}}},
    {{{along_m, 0}, {along_n, 0}}},
}};

/// A dimension as one of its owners has it.
inline constexpr std::size_t sides = 6;
constexpr std::size_t side_of(std::size_t dimension, std::size_t owner) {
    return 2 * dimension + owner;
}
constexpr std::size_t side_of(const Partner& x) {
    return side_of(x.other, static_cast<std::size_t>(x.owner));
}
/// The two sides of A, of B and of C: a rank stores what has its indices of both.
inline constexpr std::array<std::array<std::size_t, 2>, 3> faces{{
    {side_of(along_m, 0), side_of(along_k, 0)},
    {side_of(along_k, 1), side_of(along_n, 0)},
    {side_of(along_m, 1), side_of(along_n, 1)},
}};

/// Those of the first term.
ProductOwners product_owners(const DistUpdate& update, int ranks);

}  // namespace gemmill
