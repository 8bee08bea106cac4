// SPDX-License-Identifier: Apache-2.0
// What ranks store at most of the bricks that they make, in a given layout of the matrices.
#pragma once

#include <array>
#include <vector>

#include "rank/bound/price_search.hpp"
#include "rank/owners/brick_sizes.hpp"

namespace gemmill {

/// An upper bound, whichever indices the bricks of a tree have and whichever rank makes which.
///
/// A rank stores a part of each dimension in either matrix that has it: six sides. What its brick
/// has of a side is an overlap, which is no more than the side has, nor the brick. The overlaps of
/// k, in A and in B, are together no more than the brick has, and what both sides share once more,
/// which is little on most grids. Of the faces of its brick the rank stores
///     (m of A)(k of A) + (k of B)(n of B) + (m of C)(n of C).
/// Not all ranks can have all that. Limits are sums over ranks that no bricks exceed:
///  - The overlaps along one side: ranks of a node of the tree share its indices, and each index is
///    at one place (most_of_side).
///  - By dimension, here m: size along m x (k of A)(n of C). Bricks have no product in common, so
///    those of ranks with the same k of A and the same n of C have no more together than all of m
///    with these.
///  - What ranks of a node store of the face that its bricks share, of A (or of B, where columns
///    are cut first): no more than the face, since each element is stored once. The same of C for
///    all bricks of a group.
///  - Bricks of each kind, of which there are so many.
/// The most that ranks can store under these limits, if a rank could take a part of one kind of
/// brick and a part of another, is a linear program. Any prices of the limits that are not negative
/// bound it from above (Lagrange): each rank takes the brick and the overlaps for which what it
/// stores exceeds most what that costs, and all limits are paid. So the bound holds whatever prices
/// are found; at the best ones it is the program's own value.
class StoredBound {
  public:
    explicit StoredBound(const ProductOwners& owners);

    /// Without prices.
    double rough(const std::vector<BrickKind>& bricks) const;
    /// At the best prices, or at the first ones that bring it to `enough` or below.
    double nearer(const BrickTree& tree, const std::vector<BrickKind>& bricks, double enough) const;

  private:
    /// Ranks that store equally much of each side.
    struct RankKind {
        std::array<double, sides> has{};
        /// By dimension: what the rank stores of it in both matrices.
        std::array<double, 3> both{};
        double count = 0;
        bool same(std::size_t x) const {
            return has[side_of(x, 0)] == both[x] && has[side_of(x, 1)] == both[x];
        }
        auto operator<=>(const RankKind&) const = default;
    };
    /// The places along a side: what they store, largest first, and the ranks of the one with most.
    struct Places {
        std::vector<double> stored;
        double ranks = 0;
    };
    /// What there is of everything that is limited, in rows: the overlaps along each side, those of
    /// dimensions, the faces of nodes and groups, the bricks and the ranks of each kind.
    struct Limits {
        std::vector<double> there_is;
        /// By kind of bricks: the rows of the faces that it shares, of A, B and C, or none.
        std::vector<std::array<std::size_t, 3>> faces;
        std::size_t bricks = 0, ranks = 0;  ///< the first row of these
    };
    using Prices = std::vector<double>;  ///< by row
    /// The overlaps of a rank with its brick, and what it stores of that beyond what it costs.
    struct Share {
        double gain = 0;
        std::array<double, sides> has{};
        std::size_t brick = 0;  ///< its kind
    };

    void add_side(const ProductOwners& owners, std::size_t side);
    void add_ranks(const ProductOwners& owners);
    Limits limits_of(const BrickTree& tree, const std::vector<BrickKind>& bricks) const;
    Share best_share(const RankKind& rank, const std::vector<BrickKind>& bricks,
                     const Limits& limits, const Prices& prices) const;
    Share best_share(const RankKind& rank, const BrickKind& brick,
                     const std::array<std::size_t, 3>& faces_of, const Prices& prices) const;
    PriceSearch::Column column_of(const Share& share, std::size_t rank,
                                  const std::vector<BrickKind>& bricks, const Limits& limits) const;
    double most_of_side(const BrickTree& tree, std::size_t side) const;

    std::array<index_t, 3> size_{};
    std::vector<RankKind> ranks_;
    std::array<Places, sides> places_;  // by side
    std::array<double, 3> boxes_{};     // the limits of the dimensions
};

}  // namespace gemmill
