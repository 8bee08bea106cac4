// SPDX-License-Identifier: Apache-2.0
#include "rank/owners/brick_sizes.hpp"

#include <map>

namespace gemmill {

std::vector<BrickSize> brick_sizes(const BrickTree& tree, const ProductOwners& owners) {
    std::vector<BrickSize> sizes(static_cast<std::size_t>(tree.bricks()));
    for (std::size_t level = 0; level < BrickTree::levels; ++level) {
        const Dimension x = tree.dimension(level);
        const std::vector<index_t> parts = tree.parts(level, owners[x].size);
        for (int node = 0; node < tree.nodes(level); ++node)
            for (int brick = tree.first(level, node); brick < tree.first(level, node + 1); ++brick)
                sizes[static_cast<std::size_t>(brick)][x] = parts[static_cast<std::size_t>(node)];
    }
    return sizes;
}

std::vector<BrickKind> brick_kinds(const BrickTree& tree, const ProductOwners& owners) {
    std::map<BrickSize, int> counts;
    for (const BrickSize& size : brick_sizes(tree, owners)) ++counts[size];
    std::vector<BrickKind> kinds;
    for (const auto& [size, count] : counts)
        kinds.push_back({{static_cast<double>(size[along_m]), static_cast<double>(size[along_n]),
                          static_cast<double>(size[along_k])},
                         static_cast<double>(count)});
    return kinds;
}

double touched_by(const std::vector<BrickKind>& bricks) {
    double sum = 0;
    for (const BrickKind& x : bricks) {
        const auto [m, n, k] = x.size;
        sum += x.count * (m * k + k * n + m * n);
    }
    return sum;
}

}  // namespace gemmill
