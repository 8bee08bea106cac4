// SPDX-License-Identifier: Apache-2.0
// What ranks store at most of the bricks that they make, in a given layout of the matrices.
#pragma once

#include <array>
#include <vector>

#include "rank/share/brick_tree.hpp"
#include "rank/share/price_search.hpp"

namespace gemmill {

/// Bricks of the same sizes along m, n and k.
struct BrickKind {
    std::array<double, 3> size{};
    double count = 0;
};
std::vector<BrickKind> brick_kinds(const BrickTree& tree, const ProductOwners& owners);
/// Elements of A, B and C that all of them have: m k + k n + m n of each.
double touched_by(const std::vector<BrickKind>& bricks);

/// An upper bound, whichever indices the bricks of a tree have and whichever rank makes which.
///
/// A rank stores a part of each dimension in either matrix that has it: six *sides*. Its brick has
/// so many indices of each, its overlaps, which are no more than the side has, nor the brick. Of
/// the faces of its brick it stores
///     (m of A)(k of A) + (k of B)(n of B) + (m of C)(n of C).
/// Not all ranks can have all that. Limits are sums over all ranks that no bricks exceed:
///  - the overlaps along one side: ranks of a node of the tree share its indices, and each index is
///    at one place (most_of_side),
///  - by dimension, here m: size along m x (k of A)(n of C). Bricks have no product in common;
///  those
///    of ranks with the same k of A and the same n of C have no more together than all m with
///    these,
///  - bricks of each kind, of which there are so many.
/// The most that ranks can store under these limits, when a part of a rank may take a kind of
/// bricks and another part another, is a linear program. Any prices of the limits that are not
/// negative bound it from above (Lagrange): each rank takes what it stores beyond what that costs
/// most, and all limits are paid. So the bound holds whatever prices are found; the best ones make
/// it the program's own value.
class StoredBound {
  public:
    explicit StoredBound(const ProductOwners& owners);

    /// Without prices.
    double rough(const std::vector<BrickKind>& bricks) const;
    /// At the best prices, or at the first ones that bring it to `enough` or below.
    double nearer(const BrickTree& tree, const std::vector<BrickKind>& bricks, double enough) const;

  private:
    static constexpr std::size_t limits = sides + 3;
    using Limits = std::array<double, limits>;  ///< of the sides, and of the dimensions

    /// Ranks that store equally much of each side.
    struct RankKind {
        std::array<double, sides> has{};
        /// By dimension: the rank stores the same indices of it in both matrices.
        std::array<bool, 3> same{};
        double count = 0;
        auto operator<=>(const RankKind&) const = default;
    };
    /// The places along a side: what they store, largest first, and the ranks of the one with most.
    struct Places {
        std::vector<double> stored;
        double ranks = 0;
    };
    struct Prices {
        Limits of_limits{};
        std::vector<double> of_bricks;  ///< by kind
    };
    /// The overlaps of a rank with its brick, and what it stores of that beyond what it costs.
    struct Share {
        double gain = 0;
        std::array<double, sides> has{};
        std::size_t brick = 0;  ///< its kind
    };

    void add_side(const ProductOwners& owners, std::size_t side);
    void add_ranks(const ProductOwners& owners);
    Share best_share(const RankKind& rank, const std::vector<BrickKind>& bricks,
                     const Prices& prices) const;
    Share best_share(const RankKind& rank, const BrickKind& brick, const Limits& prices) const;
    PriceSearch::Column column_of(const Share& share, std::size_t rank,
                                  const std::vector<BrickKind>& bricks, const Limits& most) const;
    Limits limits_of(const BrickTree& tree) const;
    double most_of_side(const BrickTree& tree, std::size_t side) const;

    std::array<index_t, 3> size_{};
    std::vector<RankKind> ranks_;
    std::array<Places, sides> places_;  // by side
    std::array<double, 3> boxes_{};     // the limits of the dimensions
};

}  // namespace gemmill
