// SPDX-License-Identifier: Apache-2.0
#include "rank/share/stored_bound.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

namespace gemmill {
namespace {

double indices_at(const Owners& owners, std::size_t owner, int place) {
    if (place < 0) return 0;
    index_t sum = 0;
    for (const int kind : owners.at_place[owner][static_cast<std::size_t>(place)])
        sum += owners.kinds[static_cast<std::size_t>(kind)].count;
    return static_cast<double>(sum);
}

/// Whether a rank stores the same indices of a dimension in both matrices.
bool same_in_both(const Owners& owners, std::size_t rank) {
    const auto [first, second] = owners.of_rank[rank];
    return first >= 0 && second >= 0 &&
           owners.at_place[0][static_cast<std::size_t>(first)] ==
               owners.at_place[1][static_cast<std::size_t>(second)];
}

}  // namespace

std::vector<BrickKind> brick_kinds(const BrickTree& tree, const ProductOwners& owners) {
    std::array<std::vector<index_t>, BrickTree::levels> parts;
    for (std::size_t level = 0; level < BrickTree::levels; ++level)
        parts[level] = tree.parts(level, owners[tree.dimension(level)].size);
    std::map<std::array<index_t, 3>, int> counts;
    std::array<int, BrickTree::levels> node{};
    for (int brick = 0; brick < tree.bricks(); ++brick) {
        std::array<index_t, 3> size{};
        for (std::size_t level = 0; level < BrickTree::levels; ++level) {
            node[level] += tree.first(level, node[level] + 1) == brick;
            size[tree.dimension(level)] = parts[level][static_cast<std::size_t>(node[level])];
        }
        ++counts[size];
    }
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
        places.stored.push_back(indices_at(x, owner, place));
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
            kind.has[side] = indices_at(owners[side / 2], side % 2, place[side]);
        }
        for (std::size_t x = 0; x < 3; ++x) {
            kind.same[x] = same_in_both(owners[x], rank);
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

/// What it gains is linear in each overlap, so it is most where each is nothing or all it can be;
/// with those of m and n chosen, those of k are worth it or not, each by itself.
StoredBound::Share StoredBound::best_share(const RankKind& rank, const BrickKind& brick,
                                           const Limits& prices) const {
    constexpr std::size_t k_of_a = side_of(along_k, 0), k_of_b = side_of(along_k, 1);
    std::array<double, sides> most{};
    for (std::size_t side = 0; side < sides; ++side)
        most[side] = std::min(rank.has[side], brick.size[side / 2]);
    Limits price = prices;
    for (std::size_t x = 0; x < 3; ++x) price[sides + x] *= brick.size[x];
    Share best;
    for (unsigned chosen = 0; chosen < 1U << k_of_a; ++chosen) {
        const auto takes = [&](std::size_t side) { return (chosen >> side & 1U) != 0; };
        if (rank.same[along_m] && takes(0) != takes(1)) continue;
        if (rank.same[along_n] && takes(2) != takes(3)) continue;
        Share share;
        for (std::size_t side = 0; side < k_of_a; ++side) {
            if (takes(side)) share.has[side] = most[side];
            share.gain -= price[side] * share.has[side];
        }
        const auto [m_of_a, m_of_c, n_of_b, n_of_c, none, nothing] = share.has;
        share.gain += m_of_c * n_of_c - price[sides + along_k] * m_of_a * n_of_b;
        const double a = most[k_of_a] * (m_of_a - price[k_of_a] - price[sides + along_m] * n_of_c);
        const double b = most[k_of_b] * (n_of_b - price[k_of_b] - price[sides + along_n] * m_of_c);
        const bool same = rank.same[along_k];
        if ((same ? a + b : a) > 0) share.gain += a, share.has[k_of_a] = most[k_of_a];
        if ((same ? a + b : b) > 0) share.gain += b, share.has[k_of_b] = most[k_of_b];
        if (share.gain > best.gain) best = share;
    }
    return best;
}

StoredBound::Share StoredBound::best_share(const RankKind& rank,
                                           const std::vector<BrickKind>& bricks,
                                           const Prices& prices) const {
    Share best;
    for (std::size_t i = 0; i < bricks.size(); ++i) {
        Share share = best_share(rank, bricks[i], prices.of_limits);
        share.gain -= prices.of_bricks[i];
        if (i > 0 && share.gain <= best.gain) continue;
        best = share;
        best.brick = i;
    }
    return best;
}

double StoredBound::rough(const std::vector<BrickKind>& bricks) const {
    double sum = 0;
    for (const RankKind& rank : ranks_)
        sum += rank.count * best_share(rank, bricks, {{}, std::vector<double>(bricks.size())}).gain;
    return sum;
}

/// Rows are the limits, the bricks of each kind and the ranks of each kind, each as a share of what
/// there is.
PriceSearch::Column StoredBound::column_of(const Share& share, std::size_t rank,
                                           const std::vector<BrickKind>& bricks,
                                           const Limits& most) const {
    const auto& has = share.has;
    const BrickKind& brick = bricks[share.brick];
    PriceSearch::Column column;
    column.uses.resize(limits + bricks.size() + ranks_.size());
    const auto use = [&](std::size_t limit, double amount) {
        if (most[limit] > 0) column.uses[limit] = amount / most[limit];
    };
    for (std::size_t side = 0; side < sides; ++side) use(side, has[side]);
    for (std::size_t x = 0; x < 3; ++x)
        use(sides + x, brick.size[x] * has[side_of(partners[x][0])] * has[side_of(partners[x][1])]);
    column.uses[limits + share.brick] = 1 / brick.count;
    column.uses[limits + bricks.size() + rank] = 1 / ranks_[rank].count;
    for (const auto& [first, second] : faces) column.gain += has[first] * has[second];
    return column;
}

double StoredBound::nearer(const BrickTree& tree, const std::vector<BrickKind>& bricks,
                           double enough) const {
    // Some tens are usual. What stops sooner is a bound as well.
    constexpr int most_rounds = 300;
    constexpr double near = 1.0005;
    const Limits most = limits_of(tree);
    const double unit = std::max(1.0, rough(bricks));
    PriceSearch search(std::vector<double>(limits + bricks.size() + ranks_.size(), 1.0));
    double best = unit;
    for (int round = 0; round < most_rounds; ++round) {
        Prices prices{{}, std::vector<double>(bricks.size())};
        double bound = 0;
        const auto price_of = [&](std::size_t row, double there_is) {
            const double price = unit * std::max(0.0, search.prices()[row]);
            bound += price;
            return there_is > 0 ? price / there_is : 0;
        };
        for (std::size_t i = 0; i < limits; ++i) prices.of_limits[i] = price_of(i, most[i]);
        for (std::size_t i = 0; i < bricks.size(); ++i)
            prices.of_bricks[i] = price_of(limits + i, bricks[i].count);
        std::vector<Share> shares;
        for (const RankKind& rank : ranks_) {
            shares.push_back(best_share(rank, bricks, prices));
            bound += rank.count * shares.back().gain;
        }
        best = std::min(best, bound);
        if (best <= enough || best <= near * unit * search.gain()) break;
        bool changed = search.leave_unused();
        for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
            PriceSearch::Column column = column_of(shares[rank], rank, bricks, most);
            column.gain /= unit;
            changed = search.enter(column) || changed;
        }
        if (!changed) break;
    }
    return best;
}

StoredBound::Limits StoredBound::limits_of(const BrickTree& tree) const {
    Limits most{};
    for (std::size_t side = 0; side < sides; ++side) most[side] = most_of_side(tree, side);
    std::ranges::copy(boxes_, most.begin() + sides);
    return most;
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
