// SPDX-License-Identifier: Apache-2.0
// Bricks that lie where the matrices do: parts of m, n and k follow the places of the layouts, and
// each rank gets the brick of which it stores most.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <string>

#include "rank/share/work.hpp"

namespace gemmill {
namespace {

/// Ranks up to which bricks are dealt out by what ranks store: each rank looks at each brick.
constexpr int most_looked_at = 128;

using Sets = std::vector<IndexSet>;

/// Whom rows, or columns, of a matrix belong to; all of them to all where it is replicated.
Sets places_along(const Distribution& x, bool rows) {
    if (x.has_replicas()) return {whole(rows ? x.rows() : x.cols())};
    Sets sets;
    for (int i = 0; i < (rows ? x.grid_rows() : x.grid_cols()); ++i)
        sets.push_back(rows ? x.rows_of(i) : x.cols_of(i));
    return sets;
}

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

index_t size_of(const Sets& places) {
    index_t size = 0;
    for (const IndexSet& set : places) size += total(set);
    return size;
}

/// Indices [first, last) in the order of the places that have them.
IndexSet part_of(const Sets& places, index_t first, index_t last) {
    IndexSet part;
    index_t before = 0;
    for (const IndexSet& set : places) {
        const index_t here = total(set);
        const index_t from = std::clamp<index_t>(first - before, 0, here);
        const index_t to = std::clamp<index_t>(last - before, 0, here);
        for (const IndexRun& run : positions(set, from, to - from)) part.push_back(run);
        before += here;
    }
    return sorted(std::move(part));
}

/// Part i is cuts[i] to cuts[i + 1] of all of cuts.back().
Sets parts_of(const Sets& places, const std::vector<int>& cuts) {
    const index_t size = size_of(places);
    Sets parts;
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i)
        parts.push_back(
            part_of(places, size * cuts[i] / cuts.back(), size * cuts[i + 1] / cuts.back()));
    return parts;
}

/// 0, 1, ... count: even parts.
std::vector<int> even_cuts(int count) {
    std::vector<int> cuts(static_cast<std::size_t>(count) + 1);
    std::iota(cuts.begin(), cuts.end(), 0);
    return cuts;
}

/// The ranks of a layer before each group.
std::vector<int> group_cuts(const Bricks& x) {
    std::vector<int> cuts;
    for (int i = 0; i <= x.groups; ++i) cuts.push_back(x.layer * i / x.groups);
    return cuts;
}

/// All places that ranks may take: the bricks of a layer, layer by layer.
std::vector<WorkOfRank> shares_of(const Bricks& x) {
    const std::vector<int> cuts = group_cuts(x);
    std::vector<WorkOfRank> shares;
    for (int depth = 0; depth < x.depths; ++depth)
        for (int group = 0; group < x.groups; ++group)
            for (int i = cuts[static_cast<std::size_t>(group)];
                 i < cuts[static_cast<std::size_t>(group) + 1]; ++i)
                shares.push_back(x.by_rows ? WorkOfRank{group, i, depth}
                                           : WorkOfRank{i, group, depth});
    return shares;
}

/// The parts of the dimension of groups, and of the other one, which each group cuts by itself.
Sets parts_of_groups(const Sets& places, const Bricks& x) {
    return parts_of(places, group_cuts(x));
}
Sets parts_in_groups(const Sets& places, const Bricks& x) {
    const std::vector<int> cuts = group_cuts(x);
    Sets all;
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i)
        for (IndexSet& part : parts_of(places, even_cuts(cuts[i + 1] - cuts[i])))
            all.push_back(std::move(part));
    return all;
}

/// Rows and columns of the bricks, cut along these places.
Work cut_bricks(const Sets& rows, const Sets& cols, const Bricks& x) {
    Work work;
    work.rows = x.by_rows ? parts_of_groups(rows, x) : parts_in_groups(rows, x);
    work.cols = x.by_rows ? parts_in_groups(cols, x) : parts_of_groups(cols, x);
    return work;
}

/// How many indices each place shares with each part.
class Overlaps {
  public:
    Overlaps(const Distribution& x, bool rows, const Sets& parts) {
        for (int i = 0; i < (rows ? x.grid_rows() : x.grid_cols()); ++i) {
            const IndexSet place = rows ? x.rows_of(i) : x.cols_of(i);
            std::vector<index_t>& shared = shared_.emplace_back();
            for (const IndexSet& part : parts) shared.push_back(overlap(place, part));
        }
    }
    index_t at(int place, int part) const {
        return shared_[static_cast<std::size_t>(place)][static_cast<std::size_t>(part)];
    }

  private:
    std::vector<std::vector<index_t>> shared_;
};

/// Elements of a matrix that ranks have of bricks; `first` and `second` are its parts along rows
/// and columns as it is stored.
class Stored {
  public:
    Stored(const Distribution& x, const Sets& first, const Sets& second)
        : matrix_(x), rows_(x, true, first), cols_(x, false, second) {}
    index_t of(int rank, int first, int second) const {
        const GridPlace place = matrix_.place_of(rank);
        return place.row < 0 ? 0 : rows_.at(place.row, first) * cols_.at(place.col, second);
    }

  private:
    const Distribution& matrix_;
    Overlaps rows_, cols_;
};

struct Dealt {
    std::vector<WorkOfRank> of_rank;
    index_t stored = 0;  ///< elements that need not travel
};

/// Bricks and ranks find one another by what the rank stores of the brick, most first.
class Dealer {
  public:
    Dealer(const DistUpdate& update, const Work& work, const std::vector<WorkOfRank>& shares,
           int ranks)
        : shares_(shares),
          ranks_(ranks),
          c_(update.c.distribution, work.rows, work.cols),
          straight_{update.terms.front().a.op == Op::NoTrans,
                    update.terms.front().b.op == Op::NoTrans},
          a_(update.terms.front().a.matrix->distribution, straight_[0] ? work.rows : work.depths,
             straight_[0] ? work.depths : work.rows),
          b_(update.terms.front().b.matrix->distribution, straight_[1] ? work.depths : work.cols,
             straight_[1] ? work.cols : work.depths) {}

    Dealt run() const {
        std::vector<Pair> pairs;
        for (int rank = 0; rank < ranks_; ++rank)
            for (std::size_t i = 0; i < shares_.size(); ++i)
                pairs.push_back({stored(rank, shares_[i]), rank, i});
        std::ranges::stable_sort(pairs, std::greater{}, &Pair::stored);
        Dealt dealt;
        dealt.of_rank.resize(static_cast<std::size_t>(ranks_));
        std::vector<bool> taken(shares_.size());
        for (const Pair& x : pairs) {
            WorkOfRank& share = dealt.of_rank[static_cast<std::size_t>(x.rank)];
            if (share.row >= 0 || taken[x.share]) continue;
            share = shares_[x.share];
            taken[x.share] = true;
            dealt.stored += x.stored;
        }
        return dealt;
    }

  private:
    struct Pair {
        index_t stored;
        int rank;
        std::size_t share;
    };
    index_t stored(int rank, const WorkOfRank& x) const {
        return c_.of(rank, x.row, x.col) +
               (straight_[0] ? a_.of(rank, x.row, x.depth) : a_.of(rank, x.depth, x.row)) +
               (straight_[1] ? b_.of(rank, x.depth, x.col) : b_.of(rank, x.col, x.depth));
    }

    const std::vector<WorkOfRank>& shares_;
    int ranks_;
    Stored c_;
    std::array<bool, 2> straight_;
    Stored a_, b_;
};

/// Bricks in the order of their numbers, of indices in their order.
Work plain_bricks(const DistUpdate& update, const Bricks& bricks, int ranks) {
    Work work = cut_bricks({whole(update.m)}, {whole(update.n)}, bricks);
    work.depths = parts_of({whole(update.k)}, even_cuts(bricks.depths));
    work.of_rank = shares_of(bricks);
    work.of_rank.resize(static_cast<std::size_t>(ranks));
    return work;
}

/// Every `step`th place, from each of the first `step` on: neighbours, which share rows or columns
/// of bricks, come into different parts.
Sets dealt_out(const Sets& places, int step) {
    Sets result;
    for (int first = 0; first < step; ++first)
        for (auto i = static_cast<std::size_t>(first); i < places.size();
             i += static_cast<std::size_t>(step))
            result.push_back(places[i]);
    return result;
}

/// k follows A or B, whichever spares more.
Work placed_bricks(const DistUpdate& update, const Bricks& bricks, int ranks) {
    const DistFactor &a = update.terms.front().a, &b = update.terms.front().b;
    const std::vector<WorkOfRank> shares = shares_of(bricks);
    Work work = cut_bricks(places_along(update.c.distribution, true),
                           places_along(update.c.distribution, false), bricks);
    index_t most = -1;
    const Sets of_a = places_along(a.matrix->distribution, a.op != Op::NoTrans);
    const Sets of_b = places_along(b.matrix->distribution, b.op == Op::NoTrans);
    const int step = bricks.depths;
    for (const Sets& places : {of_a, of_b, dealt_out(of_a, step), dealt_out(of_b, step)}) {
        Work tried = work;
        tried.depths = parts_of(places, even_cuts(bricks.depths));
        Dealt dealt = Dealer(update, tried, shares, ranks).run();
        if (dealt.stored <= most) continue;
        most = dealt.stored;
        tried.of_rank = std::move(dealt.of_rank);
        work = std::move(tried);
    }
    return work;
}

/// "bricks 4x4x2"; of uneven groups "bricks 2x5..6x1".
std::string name_of(const Bricks& x) {
    const int least = x.layer / x.groups;
    const std::string groups = std::to_string(x.groups);
    const std::string others =
        x.layer % x.groups == 0 ? std::to_string(least) : fmt::format("{}..{}", least, least + 1);
    return fmt::format("bricks {}x{}x{}", x.by_rows ? groups : others, x.by_rows ? others : groups,
                       x.depths);
}

}  // namespace

Work brick_work(const DistUpdate& update, const Bricks& bricks, int ranks) {
    Work work = ranks <= most_looked_at ? placed_bricks(update, bricks, ranks)
                                        : plain_bricks(update, bricks, ranks);
    work.name = name_of(bricks);
    return work;
}

}  // namespace gemmill
