// SPDX-License-Identifier: Apache-2.0
#include "rank/share/deal.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

namespace gemmill {
namespace {

/// Nodes [begin, end) of a level.
struct Family {
    std::size_t level;
    int begin, end;
};

class Dealer {
  public:
    /// `of_k`: 0, ranks are ordered by their places in A, 1: in B.
    Dealer(const BrickTree& tree, const ProductOwners& owners, int of_k)
        : tree_(tree), owners_(owners), of_k_(of_k), overlaps_(tree, owners) {
        for (std::size_t level = 0; level < BrickTree::levels; ++level) {
            parts_[level] = tree.parts(level, along(level).size);
            families_[level] = tree.families(level);
            const std::vector<OwnedKind>& kinds = along(level).kinds;
            const std::size_t lead = leader(tree.dimension(level));
            order_[level].resize(kinds.size());
            std::iota(order_[level].begin(), order_[level].end(), std::size_t{0});
            std::ranges::stable_sort(order_[level], {},
                                     [&](std::size_t i) { return kinds[i].places[lead]; });
        }
    }

    Dealt run() {
        place_ranks();
        for (std::size_t level = 0; level < BrickTree::levels; ++level)
            for_families(level, [&](const Family& x) { begin(x); });
        choose_all();
        return std::move(dealt_);
    }

    /// Ranks change places and bricks choose anew, as long as more is stored.
    Dealt improve(Dealt dealt) {
        dealt_ = std::move(dealt);
        for (std::size_t level = 0; level < BrickTree::levels; ++level)
            for_families(level, [&](const Family& x) { count(x); });
        while (true) {
            std::vector<int> rank_of = dealt_.rank_of;
            if (!change_places()) return std::move(dealt_);
            Dealt before{std::move(rank_of), dealt_.amounts, dealt_.stored_of, dealt_.stored};
            choose_all();
            if (dealt_.stored <= before.stored) return before;
        }
    }

  private:
    /// The nodes of each family, from the bricks up to the groups.
    void choose_all() {
        for (std::size_t level = BrickTree::levels; level-- > 0;)
            for_families(level, [&](const Family& x) { choose(x); });
        dealt_.stored_of.clear();
        for (int brick = 0; brick < tree_.bricks(); ++brick)
            dealt_.stored_of.push_back(overlaps_.stored(overlaps_.of(brick), rank_of(brick)));
        dealt_.stored =
            std::accumulate(dealt_.stored_of.begin(), dealt_.stored_of.end(), index_t{0});
    }

    const Owners& along(std::size_t level) const { return owners_[tree_.dimension(level)]; }

    template <class F>
    void for_families(std::size_t level, F&& f) const {
        const std::vector<int>& begins = families_[level];
        for (std::size_t i = 0; i + 1 < begins.size(); ++i) f({level, begins[i], begins[i + 1]});
    }

    /// Which of the owners of a dimension gives its order.
    std::size_t leader(Dimension x) const {
        return x == along_k ? static_cast<std::size_t>(of_k_) : 1;
    }

    /// By rank: its places along the dimensions of levels, from `first` on.
    std::vector<std::array<int, 3>> places_from(std::size_t first) const {
        std::vector<std::array<int, 3>> places(owners_[0].of_rank.size());
        for (std::size_t i = 0; i < 3; ++i) {
            const Dimension x = tree_.dimension((first + i) % 3);
            for (std::size_t rank = 0; rank < places.size(); ++rank)
                places[rank][i] = owners_[x].of_rank[rank][leader(x)];
        }
        return places;
    }

    /// Into groups by their places along the first dimension, and there by the other two. Where
    /// there are fewer bricks than ranks, those without one are anywhere among the others.
    void place_ranks() {
        std::vector<int> ranks(owners_[0].of_rank.size());
        std::iota(ranks.begin(), ranks.end(), 0);
        const auto by = [](const std::vector<std::array<int, 3>>& places) {
            return [&](int rank) { return places[static_cast<std::size_t>(rank)]; };
        };
        const auto from_first = places_from(0), from_second = places_from(1);
        std::ranges::stable_sort(ranks, {}, by(from_first));
        const auto bricks = static_cast<std::size_t>(tree_.bricks());
        for (std::size_t i = 0; i < bricks; ++i)
            dealt_.rank_of.push_back(ranks[i * ranks.size() / bricks]);
        for (int group = 0; group < tree_.nodes(0); ++group)
            std::ranges::stable_sort(dealt_.rank_of.begin() + tree_.first(0, group),
                                     dealt_.rank_of.begin() + tree_.first(0, group + 1), {},
                                     by(from_second));
    }

    /// How many indices each node of a family gets, and how many there are of each kind.
    struct Supply {
        std::vector<index_t> room, left;
    };
    Supply supply_of(const Family& x) const {
        const Owners& owners = along(x.level);
        const std::vector<index_t>& parts = parts_[x.level];
        Supply supply;
        supply.room.assign(parts.begin() + x.begin, parts.begin() + x.end);
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
        const std::vector<std::size_t>& order = order_[x.level];
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
        count(x);
    }

    int& rank_of(int brick) { return dealt_.rank_of[static_cast<std::size_t>(brick)]; }
    int rank_of(int brick) const { return dealt_.rank_of[static_cast<std::size_t>(brick)]; }

    void count(const Family& x) {
        for (int node = x.begin; node < x.end; ++node)
            overlaps_.count(x.level, node, amounts(x.level, node));
    }

    /// Ranks change places, two by two, where they store more of each other's bricks. Whether some
    /// did.
    bool change_places() {
        const auto bricks = static_cast<std::size_t>(tree_.bricks());
        const std::vector<index_t> all = overlaps_.stored(dealt_.rank_of);
        bool changed = false;
        std::vector<std::size_t> now(bricks);
        std::iota(now.begin(), now.end(), std::size_t{0});
        const auto at = [&](std::size_t brick, std::size_t other) {
            return all[brick * bricks + now[other]];
        };
        for (std::size_t x = 0; x < bricks; ++x)
            for (std::size_t y = 0; y < x; ++y)
                if (at(x, y) + at(y, x) > at(x, x) + at(y, y)) {
                    std::swap(now[x], now[y]);
                    std::swap(dealt_.rank_of[x], dealt_.rank_of[y]);
                    changed = true;
                }
        return changed;
    }

    /// What an index of each kind spares the bricks of a node, in elements.
    void find_gains(std::size_t level, int node, Amounts& gains) const {
        const Dimension x = tree_.dimension(level);
        const Owners& owners = owners_[x];
        gains.assign(owners.kinds.size(), 0);
        for (int brick = tree_.first(level, node); brick < tree_.first(level, node + 1); ++brick) {
            const Overlaps::Brick overlaps = overlaps_.of(brick);
            const int rank = rank_of(brick);
            for (std::size_t owner = 0; owner < 2; ++owner) {
                const int place = owners.of_rank[static_cast<std::size_t>(rank)][owner];
                if (place < 0) continue;
                const index_t gain = overlaps_.had(overlaps, rank, side_of(partners[x][owner]));
                for (const int kind : owners.at_place[owner][static_cast<std::size_t>(place)])
                    gains[static_cast<std::size_t>(kind)] += gain;
            }
        }
    }

    struct Wish {
        index_t gain;
        int node;
        std::size_t kind;
    };
    void choose(const Family& x) {
        std::vector<Wish> wishes;
        Amounts gains;
        for (int node = x.begin; node < x.end; ++node) {
            find_gains(x.level, node, gains);
            for (std::size_t kind = 0; kind < gains.size(); ++kind)
                if (gains[kind] > 0) wishes.push_back({gains[kind], node, kind});
        }
        std::ranges::stable_sort(wishes, std::greater{}, &Wish::gain);
        clear(x);
        Supply supply = supply_of(x);
        for (const Wish& wish : wishes) give(x, supply, wish.node, wish.kind);
        give_rest(x, supply);
        count(x);
    }

    const BrickTree& tree_;
    const ProductOwners& owners_;
    int of_k_;
    Overlaps overlaps_;
    std::array<std::vector<index_t>, BrickTree::levels> parts_;  // by node
    std::array<std::vector<int>, BrickTree::levels> families_;
    std::array<std::vector<std::size_t>, BrickTree::levels> order_;  // of kinds, by places
    Dealt dealt_;
};

}  // namespace

Dealt deal_bricks(const BrickTree& tree, const ProductOwners& owners) {
    Dealt by_a = Dealer(tree, owners, 0).run();
    if (by_a.stored == 0) return by_a;
    Dealt by_b = Dealer(tree, owners, 1).run();
    return by_b.stored > by_a.stored ? by_b : by_a;
}

Dealt deal_better(const BrickTree& tree, const ProductOwners& owners, Dealt dealt) {
    return Dealer(tree, owners, 0).improve(std::move(dealt));
}

}  // namespace gemmill
