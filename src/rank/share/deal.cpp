// SPDX-License-Identifier: Apache-2.0
#include "rank/share/deal.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

namespace gemmill {
namespace {

/// A matrix that has a dimension: its other dimension, and which of that one's owners it is.
struct Partner {
    Dimension other;
    int owner;
};
/// By dimension, the matrices in the order of its owners.
constexpr std::array<std::array<Partner, 2>, 3> partners{{
    {{{along_k, 0}, {along_n, 1}}},
    {{{along_k, 1}, {along_m, 1}}},
    {{{along_m, 0}, {along_n, 0}}},
}};

/// Nodes [begin, end) of a level.
struct Family {
    std::size_t level;
    int begin, end;
};

class Dealer {
  public:
    /// `of_k`: 0, ranks are ordered by their places in A, 1: in B.
    Dealer(const BrickTree& tree, const ProductOwners& owners, int of_k)
        : tree_(tree), owners_(owners), of_k_(of_k) {
        for (std::size_t level = 0; level < BrickTree::levels; ++level)
            for (int brick = 0; brick < tree.bricks(); ++brick)
                node_of_[level].push_back(tree.node_of(level, brick));
    }

    Dealt run() {
        place_ranks();
        for (std::size_t level = 0; level < BrickTree::levels; ++level)
            for_families(level, [&](const Family& x) { begin(x); });
        for (std::size_t level = BrickTree::levels; level-- > 0;)
            for_families(level, [&](const Family& x) { choose(x); });
        for (int brick = 0; brick < tree_.bricks(); ++brick) dealt_.stored += stored(brick);
        return std::move(dealt_);
    }

  private:
    const Owners& along(std::size_t level) const { return owners_[tree_.dimension(level)]; }

    void for_families(std::size_t level, const std::function<void(const Family&)>& f) const {
        const std::vector<int> begins = tree_.families(level);
        for (std::size_t i = 0; i + 1 < begins.size(); ++i) f({level, begins[i], begins[i + 1]});
    }

    /// Which of the owners of a dimension gives its order.
    std::size_t leader(Dimension x) const {
        return x == along_k ? static_cast<std::size_t>(of_k_) : 1;
    }

    /// The places of a rank along the dimensions of levels, from `first` on.
    std::array<int, 3> places_of(int rank, std::size_t first) const {
        std::array<int, 3> places{};
        for (std::size_t i = 0; i < 3; ++i) {
            const Dimension x = tree_.dimension((first + i) % 3);
            places[i] = owners_[x].of_rank[static_cast<std::size_t>(rank)][leader(x)];
        }
        return places;
    }

    /// Into groups by their places along the first dimension, and there by the other two. Where
    /// there are fewer bricks than ranks, those without one are anywhere among the others.
    void place_ranks() {
        std::vector<int> ranks(owners_[0].of_rank.size());
        std::iota(ranks.begin(), ranks.end(), 0);
        std::ranges::stable_sort(ranks, {}, [&](int rank) { return places_of(rank, 0); });
        const auto bricks = static_cast<std::size_t>(tree_.bricks());
        for (std::size_t i = 0; i < bricks; ++i)
            dealt_.rank_of.push_back(ranks[i * ranks.size() / bricks]);
        for (int group = 0; group < tree_.nodes(0); ++group)
            std::stable_sort(dealt_.rank_of.begin() + tree_.first(0, group),
                             dealt_.rank_of.begin() + tree_.first(0, group + 1),
                             [&](int x, int y) { return places_of(x, 1) < places_of(y, 1); });
    }

    /// How many indices each node of a family gets, and how many there are of each kind.
    struct Supply {
        std::vector<index_t> room, left;
    };
    Supply supply_of(const Family& x) const {
        const Owners& owners = along(x.level);
        const index_t first = tree_.first(x.level, x.begin);
        const index_t bricks = tree_.first(x.level, x.end) - first;
        // Rounded up: the first one has some if there are any.
        const auto cut = [&](int node) {
            return (owners.size * (tree_.first(x.level, node) - first) + bricks - 1) / bricks;
        };
        Supply supply;
        for (int node = x.begin; node < x.end; ++node)
            supply.room.push_back(cut(node + 1) - cut(node));
        for (const OwnedKind& kind : owners.kinds) supply.left.push_back(kind.count);
        return supply;
    }

    Amounts& amounts(std::size_t level, int node) {
        return dealt_.amounts[level][static_cast<std::size_t>(node)];
    }
    const Amounts& amounts(std::size_t level, int node) const {
        return dealt_.amounts[level][static_cast<std::size_t>(node)];
    }

    void clear(const Family& x) {
        auto& all = dealt_.amounts[x.level];
        all.resize(static_cast<std::size_t>(tree_.nodes(x.level)));
        for (int node = x.begin; node < x.end; ++node)
            amounts(x.level, node).assign(along(x.level).kinds.size(), 0);
    }

    /// Gives a node of a family what there is of a kind, and room for.
    void give(const Family& x, Supply& supply, int node, std::size_t kind) {
        index_t& room = supply.room[static_cast<std::size_t>(node - x.begin)];
        const index_t count = std::min(room, supply.left[kind]);
        amounts(x.level, node)[kind] += count;
        room -= count, supply.left[kind] -= count;
    }

    /// What is left, one node after the other, in the order of places.
    void give_rest(const Family& x, Supply& supply) {
        const std::vector<OwnedKind>& kinds = along(x.level).kinds;
        const std::size_t lead = leader(tree_.dimension(x.level));
        std::vector<std::size_t> order(kinds.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::ranges::stable_sort(order, {}, [&](std::size_t i) { return kinds[i].places[lead]; });
        std::size_t next = 0;
        for (int node = x.begin; node < x.end; ++node)
            while (supply.room[static_cast<std::size_t>(node - x.begin)] > 0) {
                give(x, supply, node, order[next]);
                next += supply.left[order[next]] == 0;
            }
    }

    void begin(const Family& x) {
        clear(x);
        Supply supply = supply_of(x);
        give_rest(x, supply);
    }

    /// Indices of a brick along a dimension that the rank which makes it has in a matrix.
    index_t had(int brick, Dimension x, int owner) const {
        const int rank = dealt_.rank_of[static_cast<std::size_t>(brick)];
        const Owners& owners = owners_[x];
        const auto side = static_cast<std::size_t>(owner);
        const int place = owners.of_rank[static_cast<std::size_t>(rank)][side];
        if (place < 0) return 0;
        const std::size_t level = tree_.level_of(x);
        const Amounts& has = amounts(level, node_of_[level][static_cast<std::size_t>(brick)]);
        index_t sum = 0;
        for (const int kind : owners.at_place[side][static_cast<std::size_t>(place)])
            sum += has[static_cast<std::size_t>(kind)];
        return sum;
    }

    /// Elements that the rank of a brick stores of it.
    index_t stored(int brick) const {
        return had(brick, along_m, 0) * had(brick, along_k, 0) +
               had(brick, along_k, 1) * had(brick, along_n, 0) +
               had(brick, along_m, 1) * had(brick, along_n, 1);
    }

    /// What an index of each kind spares the bricks of a node, in elements.
    Amounts gains(std::size_t level, int node) const {
        const Dimension x = tree_.dimension(level);
        const Owners& owners = owners_[x];
        Amounts gains(owners.kinds.size());
        for (int brick = tree_.first(level, node); brick < tree_.first(level, node + 1); ++brick)
            for (std::size_t side = 0; side < 2; ++side) {
                const auto rank =
                    static_cast<std::size_t>(dealt_.rank_of[static_cast<std::size_t>(brick)]);
                const int place = owners.of_rank[rank][side];
                if (place < 0) continue;
                const Partner& partner = partners[x][side];
                const index_t gain = had(brick, partner.other, partner.owner);
                for (const int kind : owners.at_place[side][static_cast<std::size_t>(place)])
                    gains[static_cast<std::size_t>(kind)] += gain;
            }
        return gains;
    }

    struct Wish {
        index_t gain;
        int node;
        std::size_t kind;
    };
    void choose(const Family& x) {
        std::vector<Wish> wishes;
        for (int node = x.begin; node < x.end; ++node) {
            const Amounts all = gains(x.level, node);
            for (std::size_t kind = 0; kind < all.size(); ++kind)
                if (all[kind] > 0) wishes.push_back({all[kind], node, kind});
        }
        std::ranges::stable_sort(wishes, std::greater{}, &Wish::gain);
        clear(x);
        Supply supply = supply_of(x);
        for (const Wish& wish : wishes) give(x, supply, wish.node, wish.kind);
        give_rest(x, supply);
    }

    const BrickTree& tree_;
    const ProductOwners& owners_;
    int of_k_;
    std::array<std::vector<int>, BrickTree::levels> node_of_;  // by brick
    Dealt dealt_;
};

}  // namespace

Dealt deal_bricks(const BrickTree& tree, const ProductOwners& owners) {
    Dealt by_a = Dealer(tree, owners, 0).run();
    if (by_a.stored == 0) return by_a;
    Dealt by_b = Dealer(tree, owners, 1).run();
    return by_b.stored > by_a.stored ? by_b : by_a;
}

}  // namespace gemmill
