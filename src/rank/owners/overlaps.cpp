// SPDX-License-Identifier: Apache-2.0
#include "rank/owners/overlaps.hpp"

#include <algorithm>

namespace gemmill {
namespace {

Dimension dimension_of(std::size_t side) { return static_cast<Dimension>(side / 2); }

}  // namespace

Overlaps::Overlaps(const BrickTree& tree, const ProductOwners& owners)
    : tree_(tree), owners_(owners), place_of_(owners[0].of_rank.size()) {
    for (std::size_t level = 0; level < BrickTree::levels; ++level)
        for (int node = 0; node < tree.nodes(level); ++node)
            node_of_[level].resize(static_cast<std::size_t>(tree.first(level, node + 1)), node);
    for (std::size_t side = 0; side < sides; ++side) {
        const Owners& x = owners[dimension_of(side)];
        places_[side] = x.at_place[side % 2].size();
        level_of_[side] = tree.level_of(dimension_of(side));
        const int nodes = tree.nodes(level_of_[side]);
        had_[side].resize(static_cast<std::size_t>(nodes) * (places_[side] + 1));
        for (std::size_t rank = 0; rank < place_of_.size(); ++rank) {
            const int place = x.of_rank[rank][side % 2];
            place_of_[rank][side] = place < 0 ? places_[side] : static_cast<std::size_t>(place);
        }
    }
}

void Overlaps::count(std::size_t level, int node, const Amounts& amounts) {
    const Dimension x = tree_.dimension(level);
    const std::vector<OwnedKind>& kinds = owners_[x].kinds;
    for (std::size_t owner = 0; owner < 2; ++owner) {
        const std::size_t side = side_of(x, owner), width = places_[side] + 1;
        if (places_[side] == 0) continue;  // nobody's
        index_t* had = &had_[side][static_cast<std::size_t>(node) * width];
        std::fill_n(had, width, 0);
        for (std::size_t kind = 0; kind < amounts.size(); ++kind)
            had[kinds[kind].places[owner]] += amounts[kind];
    }
}

Overlaps::Brick Overlaps::of(int brick) const {
    Brick result{};
    for (std::size_t side = 0; side < sides; ++side) {
        const int node = node_of_[level_of_[side]][static_cast<std::size_t>(brick)];
        result[side] = &had_[side][static_cast<std::size_t>(node) * (places_[side] + 1)];
    }
    return result;
}

std::vector<index_t> Overlaps::stored(const std::vector<int>& ranks) const {
    std::vector<index_t> all;
    all.reserve(static_cast<std::size_t>(tree_.bricks()) * ranks.size());
    for (int i = 0; i < tree_.bricks(); ++i) {
        const Brick brick = of(i);
        for (const int rank : ranks) all.push_back(stored(brick, rank));
    }
    return all;
}

}  // namespace gemmill
