// SPDX-License-Identifier: Apache-2.0
#include "rank/owners/brick_tree.hpp"

#include <algorithm>
#include <numeric>

namespace gemmill {
namespace {

int part(int size, int at, int parts) { return static_cast<int>(index_t{size} * at / parts); }

}  // namespace

BrickTree::BrickTree(const Bricks& bricks) : shape_(bricks) {
    for (int group = 0; group < bricks.groups; ++group) {
        const int begin = part(bricks.ranks, group, bricks.groups);
        const int size = part(bricks.ranks, group + 1, bricks.groups) - begin;
        first_[0].push_back(begin);
        for (int i = 0; i < bricks.depths; ++i)
            first_[1].push_back(begin + part(size, i, bricks.depths));
    }
    first_[0].push_back(bricks.ranks), first_[1].push_back(bricks.ranks);
    first_[2].resize(static_cast<std::size_t>(bricks.ranks) + 1);
    std::iota(first_[2].begin(), first_[2].end(), 0);
}

int BrickTree::node_of(std::size_t level, int brick) const {
    return static_cast<int>(std::ranges::upper_bound(first_[level], brick) -
                            first_[level].begin()) -
           1;
}

std::vector<int> BrickTree::families(std::size_t level) const {
    if (level == 0) return {0, nodes(0)};
    if (level == 2) return first_[1];
    std::vector<int> begins;
    for (int group = 0; group <= shape_.groups; ++group) begins.push_back(group * shape_.depths);
    return begins;
}

std::vector<index_t> BrickTree::parts(std::size_t level, index_t size) const {
    const std::vector<int> begins = families(level);
    std::vector<index_t> result;
    for (std::size_t i = 0; i + 1 < begins.size(); ++i) {
        const index_t begin = first(level, begins[i]);
        const index_t bricks = first(level, begins[i + 1]) - begin;
        // Rounded up: the first one has some if there are any.
        const auto cut = [&](int node) {
            return (size * (first(level, node) - begin) + bricks - 1) / bricks;
        };
        for (int node = begins[i]; node < begins[i + 1]; ++node)
            result.push_back(cut(node + 1) - cut(node));
    }
    return result;
}

Dimension BrickTree::dimension(std::size_t level) const {
    if (level == 1) return along_k;
    return (level == 0) == shape_.by_rows ? along_m : along_n;
}

std::size_t BrickTree::level_of(Dimension dimension) const {
    if (dimension == along_k) return 1;
    return (dimension == along_m) == shape_.by_rows ? 0 : 2;
}

}  // namespace gemmill
