// SPDX-License-Identifier: Apache-2.0
// What ranks store at most of the bricks that they make, in a given layout of the matrices.
#pragma once

#include <array>
#include <vector>

#include "rank/share/brick_tree.hpp"
#include "rank/share/price_search.hpp"

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

/// An upper bound, whichever indices the bricks of a tree have and whichever rank makes which.
///
/// A rank stores a part of each dimension in either matrix that has it: six *sides*. Its brick has
/// so many indices of each, its overlaps, which are no more than the side has, nor the brick. Those
/// of k, of A and of B, are together no more than the brick has and what both sides have once more,
/// which is little on many grids. Of
/// the faces of its brick it stores
///     (m of A)(k of A) + (k of B)(n of B) + (m of C)(n of C).
/// Not all ranks can have all that. Limits are sums over all ranks that no bricks exceed:
///  - the overlaps along one side: ranks of a node of the tree share its indices, and each index is
///    at one place (most_of_side),
///  - by dimension, here m: size along m x (k of A)(n of C). Bricks have no product in common;
///  those
///    of ranks with the same k of A and the same n of C have no more together than all m with
///    these,
///  - what is stored of A, or B, by the ranks of a node that share rows, or columns, and a part of
///    k: all of that, since each element is stored once; and of C by the ranks of a group,
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
