// SPDX-License-Identifier: Apache-2.0
#include "rank/bound/stored_bound.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <set>

namespace gemmill {
namespace {

/// Of the rows of limits.
constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

/// Indices of a dimension that a rank stores in both matrices.
double in_both(const Owners& owners, std::size_t rank) {
    const std::array<int, 2>& places = owners.of_rank[rank];
    if (places[0] < 0) return 0;
    for (const int kind : owners.at_place[0][static_cast<std::size_t>(places[0])])
        if (owners.kinds[static_cast<std::size_t>(kind)].places[1] == places[1])
            return static_cast<double>(owners.kinds[static_cast<std::size_t>(kind)].count);
    return 0;
}

}  // namespace

StoredBound::StoredBound(const ProductOwners& owners) {
    for (std::size_t x = 0; x < 3; ++x) size_[x] = owners[x].size;
    for (std::size_t side = 0; side < sides; ++side) add_side(owners, side);
    add_ranks(owners);
}

void StoredBound::add_side(const ProductOwners& owners, std::size_t side) {
    const Owners& x = owners[side / 2];
    const std::size_t owner = side % 2;
    std::vector<double> ranks(x.at_place[owner].size());
    for (const std::array<int, 2>& place : x.of_rank)
        if (place[owner] >= 0) ++ranks[static_cast<std::size_t>(place[owner])];
    Places& places = places_[side];
    for (const double here : ranks) places.ranks = std::max(places.ranks, here);
    for (int place = 0; place < static_cast<int>(ranks.size()); ++place)
        places.stored.push_back(static_cast<double>(x.stored_at(owner, place)));
    std::ranges::sort(places.stored, std::greater{});
}

void StoredBound::add_ranks(const ProductOwners& owners) {
    std::map<RankKind, double> counts;
    std::array<std::set<std::array<int, 2>>, 3> boxes;
    for (std::size_t rank = 0; rank < owners[0].of_rank.size(); ++rank) {
        std::array<int, sides> place{};
        RankKind kind;
        for (std::size_t side = 0; side < sides; ++side) {
            place[side] = owners[side / 2].of_rank[rank][side % 2];
            kind.has[side] = static_cast<double>(owners[side / 2].stored_at(side % 2, place[side]));
        }
        for (std::size_t x = 0; x < 3; ++x) {
            kind.both[x] = in_both(owners[x], rank);
            const std::size_t first = side_of(partners[x][0]), second = side_of(partners[x][1]);
            if (boxes[x].insert({place[first], place[second]}).second)
                boxes_[x] += static_cast<double>(size_[x]) * kind.has[first] * kind.has[second];
        }
        ++counts[kind];
    }
    for (const auto& [kind, count] : counts) {
        ranks_.push_back(kind);
        ranks_.back().count = count;
    }
}

/// What it gains is linear in each overlap, so it is most where each is nothing or all it can be.
/// With those of m and n chosen, of those of k the one that is worth more comes first.
StoredBound::Share StoredBound::best_share(const RankKind& rank, const BrickKind& brick,
                                           const std::array<std::size_t, 3>& faces_of,
                                           const Prices& prices) const {
    constexpr std::size_t k_of_a = side_of(along_k, 0), k_of_b = side_of(along_k, 1);
    std::array<double, sides> most{};
    for (std::size_t side = 0; side < sides; ++side)
        most[side] = std::min(rank.has[side], brick.size[side / 2]);
    std::array<double, 3> box{}, worth{};  // by dimension, and by face
    for (std::size_t x = 0; x < 3; ++x) {
        box[x] = prices[sides + x] * brick.size[x];
        worth[x] = 1 - (faces_of[x] == none ? 0 : prices[faces_of[x]]);
    }
    const bool same = rank.same(along_k);
    const double together = brick.size[along_k] + std::min(brick.size[along_k], rank.both[along_k]);
    Share best;
    for (unsigned chosen = 0; chosen < 1U << k_of_a; ++chosen) {
        const auto takes = [&](std::size_t side) { return (chosen >> side & 1U) != 0; };
        if (rank.same(along_m) && takes(0) != takes(1)) continue;
        if (rank.same(along_n) && takes(2) != takes(3)) continue;
        Share share;
        for (std::size_t side = 0; side < k_of_a; ++side) {
            if (takes(side)) share.has[side] = most[side];
            share.gain -= prices[side] * share.has[side];
        }
        const auto [m_of_a, m_of_c, n_of_b, n_of_c, unset_a, unset_b] = share.has;
        share.gain += worth[2] * m_of_c * n_of_c - box[along_k] * m_of_a * n_of_b;
        const double a = worth[0] * m_of_a - prices[k_of_a] - box[along_m] * n_of_c;
        const double b = worth[1] * n_of_b - prices[k_of_b] - box[along_n] * m_of_c;
        const bool a_first = a >= b;
        const std::size_t first = a_first ? k_of_a : k_of_b, second = a_first ? k_of_b : k_of_a;
        if (same ? a + b > 0 : std::max(a, b) > 0) share.has[first] = most[first];
        if (same ? a + b > 0 : std::min(a, b) > 0)
            share.has[second] = std::min(most[second], together - share.has[first]);
        share.gain += a * share.has[k_of_a] + b * share.has[k_of_b];
        if (share.gain > best.gain) best = share;
    }
    return best;
}

StoredBound::Share StoredBound::best_share(const RankKind& rank,
                                           const std::vector<BrickKind>& bricks,
                                           const Limits& limits, const Prices& prices) const {
    Share best;
    for (std::size_t i = 0; i < bricks.size(); ++i) {
        Share share = best_share(rank, bricks[i], limits.faces[i], prices);
        share.gain -= prices[limits.bricks + i];
        if (i > 0 && share.gain <= best.gain) continue;
        best = share;
        best.brick = i;
    }
    return best;
}

double StoredBound::rough(const std::vector<BrickKind>& bricks) const {
    const Prices nothing(sides + 3);
    double sum = 0;
    for (const RankKind& rank : ranks_) {
        double most = 0;
        for (const BrickKind& brick : bricks)
            most = std::max(most, best_share(rank, brick, {none, none, none}, nothing).gain);
        sum += rank.count * most;
    }
    return sum;
}

/// What a share uses of each row, as a part of what there is.
PriceSearch::Column StoredBound::column_of(const Share& share, std::size_t rank,
                                           const std::vector<BrickKind>& bricks,
                                           const Limits& limits) const {
    const auto& has = share.has;
    PriceSearch::Column column;
    column.uses.resize(limits.there_is.size());
    const auto use = [&](std::size_t row, double amount) {
        if (limits.there_is[row] > 0) column.uses[row] = amount / limits.there_is[row];
    };
    for (std::size_t side = 0; side < sides; ++side) use(side, has[side]);
    for (std::size_t x = 0; x < 3; ++x) {
        use(sides + x, bricks[share.brick].size[x] * has[side_of(partners[x][0])] *
                           has[side_of(partners[x][1])]);
        const double stored = has[faces[x][0]] * has[faces[x][1]];
        const std::size_t face = limits.faces[share.brick][x];
        if (face != none) use(face, stored);
        column.gain += stored;
    }
    use(limits.bricks + share.brick, 1);
    use(limits.ranks + rank, 1);
    return column;
}

double StoredBound::nearer(const BrickTree& tree, const std::vector<BrickKind>& bricks,
                           double enough) const {
    // Some tens are usual. What stops sooner is a bound as well.
    constexpr int most_rounds = 300;
    constexpr double near = 1.0005;
    const Limits limits = limits_of(tree, bricks);
    const double unit = std::max(1.0, rough(bricks));
    PriceSearch search(std::vector<double>(limits.there_is.size(), 1.0));
    double best = unit;
    for (int round = 0; round < most_rounds; ++round) {
        Prices prices(limits.there_is.size());
        double bound = 0;
        for (std::size_t row = 0; row < limits.ranks; ++row) {
            const double paid = unit * std::max(0.0, search.prices()[row]);
            bound += paid;
            if (limits.there_is[row] > 0) prices[row] = paid / limits.there_is[row];
        }
        std::vector<Share> shares;
        for (const RankKind& rank : ranks_) {
            shares.push_back(best_share(rank, bricks, limits, prices));
            bound += rank.count * shares.back().gain;
        }
        best = std::min(best, bound);
        if (best <= enough || best <= near * unit * search.gain()) break;
        bool changed = search.leave_unused();
        for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
            PriceSearch::Column column = column_of(shares[rank], rank, bricks, limits);
            column.gain /= unit;
            changed = search.enter(column) || changed;
        }
        if (!changed) break;
    }
    return best;
}

StoredBound::Limits StoredBound::limits_of(const BrickTree& tree,
                                           const std::vector<BrickKind>& bricks) const {
    Limits limits;
    std::vector<double>& rows = limits.there_is;
    for (std::size_t side = 0; side < sides; ++side) rows.push_back(most_of_side(tree, side));
    rows.insert(rows.end(), boxes_.begin(), boxes_.end());
    // A group shares rows, or columns; the others are all in each of its nodes.
    const Dimension outer = tree.dimension(0);
    const auto others = static_cast<double>(size_[outer == along_m ? along_n : along_m]);
    std::map<std::array<double, 2>, std::size_t> of_nodes;
    std::map<double, std::size_t> of_groups;
    for (const BrickKind& brick : bricks) {
        const double shared = brick.size[outer], k = brick.size[along_k];
        const auto node = of_nodes.try_emplace({shared, k}, rows.size());
        if (node.second) rows.push_back(0);
        const auto group = of_groups.try_emplace(shared, rows.size());
        if (group.second) rows.push_back(0);
        // Together the bricks of a node have all the others, those of a group for each index of k.
        const double part = brick.count * brick.size[1 - outer] / others;
        rows[node.first->second] += part * shared * k;
        rows[group.first->second] +=
            part * shared * others * k / static_cast<double>(size_[along_k]);
        limits.faces.push_back({outer == along_m ? node.first->second : none,
                                outer == along_n ? node.first->second : none, group.first->second});
    }
    limits.bricks = rows.size();
    for (const BrickKind& brick : bricks) rows.push_back(brick.count);
    limits.ranks = rows.size();
    for (const RankKind& rank : ranks_) rows.push_back(rank.count);
    return limits;
}

/// Along a side that lies at places R1 >= R2 >= ..., each with `cap` ranks at most:
///
/// b ranks of a node that share s indices. Let x of them be at a place and u of the indices; the
/// overlaps are the sum of x u. Any j places have j cap of the ranks at most, and of the indices
/// min(s, R1 + ... + Rj). So the sum is most where both go to the largest places first (Abel).
///
/// All ranks of a family, whose nodes share no index, have at most `s` of them and at most b ranks
/// each. X ranks at one place overlap in min(s, R) each at most, and in R b together, since an
/// index there is in one node. The sum of min(X min(s, R), R b) is most where ranks go to the
/// largest places first, since each of these is concave in X, and steeper where R is larger.
double StoredBound::most_of_side(const BrickTree& tree, std::size_t side) const {
    const std::size_t level = tree.level_of(static_cast<Dimension>(side / 2));
    const std::vector<index_t> parts = tree.parts(level, size_[side / 2]);
    const std::vector<int> families = tree.families(level);
    double sum = 0;
    for (std::size_t i = 0; i + 1 < families.size(); ++i) {
        double of_nodes = 0, most_indices = 0, most_ranks = 0;
        for (int node = families[i]; node < families[i + 1]; ++node) {
            double indices = static_cast<double>(parts[static_cast<std::size_t>(node)]);
            double ranks = tree.first(level, node + 1) - tree.first(level, node);
            most_indices = std::max(most_indices, indices);
            most_ranks = std::max(most_ranks, ranks);
            for (const double stored : places_[side].stored) {
                const double here = std::min(ranks, places_[side].ranks);
                const double had = std::min(indices, stored);
                of_nodes += here * had;
                ranks -= here, indices -= had;
            }
        }
        double of_family = 0;
        double ranks = tree.first(level, families[i + 1]) - tree.first(level, families[i]);
        for (const double stored : places_[side].stored) {
            const double each = std::min(most_indices, stored);
            if (each == 0 || ranks <= 0) break;
            const double here = std::min({ranks, places_[side].ranks, most_ranks * stored / each});
            of_family += here * each;
            ranks -= here;
        }
        sum += std::min(of_nodes, of_family);
    }
    return sum;
}

}  // namespace gemmill
