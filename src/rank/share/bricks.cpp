// SPDX-License-Identifier: Apache-2.0
// Bricks as index sets, a brick for each rank.
#include "rank/share/bricks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>

#include "rank/bound/stored_bound.hpp"
#include "rank/share/likely.hpp"

namespace gemmill {
namespace {

/// Ranks up to which bricks follow what ranks store: it takes some ten milliseconds then.
constexpr int most_looked_at = 4096;
/// Ranks up to which they change places, for which all pairs of them are looked at.
constexpr int most_moved = 128;

using Sets = std::vector<IndexSet>;

IndexSet sorted(IndexSet set) {
    std::ranges::sort(set, {}, &IndexRun::begin);
    IndexSet result;
    for (const IndexRun& run : set)
        if (!result.empty() && result.back().begin + result.back().count == run.begin)
            result.back().count += run.count;
        else
            result.push_back(run);
    return packed(result);
}

/// The indices of all nodes of a level: of each kind the nodes of a family take one after the
/// other.
Sets sets_of(const BrickTree& tree, std::size_t level, const Owners& owners, const Dealt& dealt) {
    const std::vector<int> families = tree.families(level);
    Sets sets;
    for (std::size_t family = 0; family + 1 < families.size(); ++family) {
        Amounts taken(owners.kinds.size());
        for (int node = families[family]; node < families[family + 1]; ++node) {
            const Amounts& amounts = dealt.amounts[level][static_cast<std::size_t>(node)];
            IndexSet set;
            for (std::size_t i = 0; i < amounts.size(); ++i) {
                if (amounts[i] == 0) continue;
                for (const IndexRun& run : positions(owners.kinds[i].set, taken[i], amounts[i]))
                    set.push_back(run);
                taken[i] += amounts[i];
            }
            sets.push_back(sorted(std::move(set)));
        }
    }
    return sets;
}

/// One of each, and for each of them all its number.
std::vector<int> merge_equal(Sets& sets) {
    Sets different;
    std::vector<int> numbers;
    for (IndexSet& set : sets) {
        const auto found = std::ranges::find(different, set);
        numbers.push_back(static_cast<int>(found - different.begin()));
        if (found == different.end()) different.push_back(std::move(set));
    }
    sets = std::move(different);
    return numbers;
}

/// "bricks 4x4x2"; of uneven groups "bricks 2x5..6x1".
std::string name_of(const Bricks& x) {
    const BrickTree tree(x);
    int least = x.ranks, most = 0;
    for (int node = 0; node < tree.nodes(1); ++node) {
        const int bricks = tree.first(1, node + 1) - tree.first(1, node);
        least = std::min(least, bricks), most = std::max(most, bricks);
    }
    const std::string groups = std::to_string(x.groups);
    const std::string others =
        least == most ? std::to_string(least) : fmt::format("{}..{}", least, most);
    return fmt::format("bricks {}x{}x{}", x.by_rows ? groups : others, x.by_rows ? others : groups,
                       x.depths);
}

/// Elements of C that each rank stores.
std::vector<index_t> stored_of_c(const ProductOwners& owners) {
    std::vector<index_t> elements(owners[0].of_rank.size(), 1);
    for (const Dimension x : {along_m, along_n})
        for (std::size_t rank = 0; rank < elements.size(); ++rank)
            elements[rank] *= owners[x].stored_at(1, owners[x].of_rank[rank][1]);
    return elements;
}

/// What ranks get: of A and B, and for what they store of C a sum of each part of k; all of it but
/// what they have themselves.
void count_received(const ProductOwners& owners, DealtBricks& x) {
    const std::vector<index_t> of_c = stored_of_c(owners);
    const std::vector<BrickSize> sizes = brick_sizes(BrickTree(x.bricks), owners);
    for (std::size_t brick = 0; brick < sizes.size(); ++brick) {
        const auto [m, n, k] = sizes[brick];
        const index_t missing = m * k + k * n - x.dealt.stored_of[brick];
        const index_t sums = of_c[static_cast<std::size_t>(x.dealt.rank_of[brick])];
        x.sent += static_cast<double>(missing + m * n);
        x.busiest = std::max(x.busiest, static_cast<double>(missing + x.bricks.depths * sums));
    }
}

DealtBricks dealt_bricks(const Bricks& bricks, const ProductOwners& owners, int ranks) {
    const BrickTree tree(bricks);
    DealtBricks result{bricks, deal_bricks(tree, owners)};
    if (ranks <= most_moved) result.dealt = deal_better(tree, owners, std::move(result.dealt));
    count_received(owners, result);
    return result;
}

}  // namespace

ProductOwners brick_owners(const DistUpdate& update, int ranks) {
    if (ranks > most_looked_at)
        return {nobodys(update.m, ranks), nobodys(update.n, ranks), nobodys(update.k, ranks)};
    return product_owners(update, ranks);
}

std::vector<DealtBricks> frugal_bricks(const DistUpdate& update, const ProductOwners& owners,
                                       int ranks) {
    const StoredBound bound(owners);
    std::vector<DealtBricks> all;
    double least = std::numeric_limits<double>::max();
    for (const Bricks& bricks : likely_bricks(update, ranks)) {
        const std::vector<BrickKind> kinds = brick_kinds(BrickTree(bricks), owners);
        if (touched_by(kinds) - bound.rough(kinds) >= as_frugal * least) continue;
        all.push_back(dealt_bricks(bricks, owners, ranks));
        least = std::min(least, all.back().sent);
    }
    std::ranges::stable_sort(all, {}, &DealtBricks::sent);
    return all;
}

Work work_of(const DealtBricks& bricks, const ProductOwners& owners, int ranks) {
    const BrickTree tree(bricks.bricks);
    Work work;
    work.name = name_of(bricks.bricks);
    work.layers = bricks.bricks.depths;
    const std::array<Sets*, 3> sets{&work.rows, &work.cols, &work.depths};
    std::array<std::vector<int>, 3> numbers;
    for (const Dimension x : {along_m, along_n, along_k}) {
        *sets[x] = sets_of(tree, tree.level_of(x), owners[x], bricks.dealt);
        // Bricks that share all of k share panels where they have the same rows or columns.
        if (work.layers == 1) numbers[x] = merge_equal(*sets[x]);
    }
    const auto number = [&](Dimension x, int brick) {
        const int node = tree.node_of(tree.level_of(x), brick);
        return work.layers == 1 ? numbers[x][static_cast<std::size_t>(node)] : node;
    };
    work.of_rank.resize(static_cast<std::size_t>(ranks));
    for (int brick = 0; brick < tree.bricks(); ++brick) {
        const int rank = bricks.dealt.rank_of[static_cast<std::size_t>(brick)];
        work.of_rank[static_cast<std::size_t>(rank)] = {
            number(along_m, brick), number(along_n, brick), number(along_k, brick)};
    }
    return work;
}

Work brick_work(const DistUpdate& update, const Bricks& bricks, int ranks) {
    const ProductOwners owners = brick_owners(update, ranks);
    return work_of(dealt_bricks(bricks, owners, ranks), owners, ranks);
}

}  // namespace gemmill
