// SPDX-License-Identifier: Apache-2.0
// Bricks by trying all: all trees, and for a handful of indices all ways to share them.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <functional>
#include <numeric>
#include <vector>

#include "rank/owners/brick_tree.hpp"

namespace gemmill::test {

/// Calls f with all trees of so many bricks.
template <class F>
void for_all_trees(int ranks, F&& f) {
    for (int groups = 1; groups <= ranks; ++groups)
        for (int depths = 1; groups * depths <= ranks; ++depths)
            for (const bool by_rows : {true, false}) f(Bricks{groups, depths, ranks, by_rows});
}

/// The most that ranks can store of the bricks of a tree.
class AllBricks {
  public:
    AllBricks(const BrickTree& tree, const ProductOwners& owners) : tree_(tree) {
        for (std::size_t side = 0; side < sides; ++side) {
            const Owners& x = owners[side / 2];
            for (const std::array<int, 2>& place : x.of_rank) {
                Indices here = 0;
                for (const int kind :
                     x.at_place[side % 2][static_cast<std::size_t>(place[side % 2])])
                    for (const IndexRun& run : x.kinds[static_cast<std::size_t>(kind)].set)
                        for (index_t i = 0; i < run.count; ++i)
                            here |= Indices{1} << (run.begin + i);
                at_[side].push_back(here);
            }
        }
        for (std::size_t level = 0; level < BrickTree::levels; ++level) {
            const index_t size = owners[tree.dimension(level)].size;
            all_[level] = (Indices{1} << size) - 1;
            parts_[level] = tree.parts(level, size);
            nodes_[level].resize(parts_[level].size());
            const std::vector<int> families = tree.families(level);
            for (std::size_t i = 0; i + 1 < families.size(); ++i)
                families_.push_back({level, families[i], families[i + 1]});
        }
    }

    std::int64_t most_stored() {
        deal(0);
        return most_;
    }

  private:
    using Indices = std::uint32_t;
    struct Family {
        std::size_t level;
        int begin, end;
    };

    void deal(std::size_t family) {
        if (family == families_.size()) return judge();
        const Family& x = families_[family];
        deal_nodes(family, x.begin, all_[x.level]);
    }

    void deal_nodes(std::size_t family, int node, Indices left) {
        const Family& x = families_[family];
        if (node == x.end) return deal(family + 1);
        const auto at = static_cast<std::size_t>(node);
        for (Indices set = 0; set <= left; ++set) {
            if ((set & ~left) != 0 || std::popcount(set) != parts_[x.level][at]) continue;
            nodes_[x.level][at] = set;
            deal_nodes(family, node + 1, left & ~set);
        }
    }

    void judge() {
        std::vector<std::size_t> ranks(static_cast<std::size_t>(tree_.bricks()));
        std::iota(ranks.begin(), ranks.end(), std::size_t{0});
        do {
            std::int64_t sum = 0;
            for (std::size_t brick = 0; brick < ranks.size(); ++brick)
                for (const auto& [first, second] : faces)
                    sum += had(first, brick, ranks[brick]) * had(second, brick, ranks[brick]);
            most_ = std::max(most_, sum);
        } while (std::ranges::next_permutation(ranks).found);
    }

    std::int64_t had(std::size_t side, std::size_t brick, std::size_t rank) const {
        const std::size_t level = tree_.level_of(static_cast<Dimension>(side / 2));
        const int node = tree_.node_of(level, static_cast<int>(brick));
        return std::popcount(nodes_[level][static_cast<std::size_t>(node)] & at_[side][rank]);
    }

    const BrickTree& tree_;
    std::array<std::vector<Indices>, sides> at_;  // by rank
    std::array<Indices, BrickTree::levels> all_{};
    std::array<std::vector<index_t>, BrickTree::levels> parts_;
    std::array<std::vector<Indices>, BrickTree::levels> nodes_;
    std::vector<Family> families_;
    std::int64_t most_ = 0;
};

}  // namespace gemmill::test
