// SPDX-License-Identifier: Apache-2.0
#include "rank/share/work.hpp"

#include <algorithm>

namespace gemmill {
namespace {

std::vector<IndexSet> sets_of(int count, const std::function<IndexSet(int)>& set) {
    std::vector<IndexSet> sets;
    for (int i = 0; i < count; ++i) sets.push_back(set(i));
    return sets;
}
std::vector<IndexSet> row_sets(const Distribution& x) {
    return sets_of(x.grid_rows(), [&](int i) { return x.rows_of(i); });
}
std::vector<IndexSet> col_sets(const Distribution& x) {
    return sets_of(x.grid_cols(), [&](int i) { return x.cols_of(i); });
}

Work with_places(const Distribution& x, int ranks, const std::function<WorkOfRank(GridPlace)>& of) {
    Work work;
    for (int rank = 0; rank < ranks; ++rank) {
        const GridPlace place = x.place_of(rank);
        work.of_rank.push_back(place.row < 0 ? WorkOfRank{} : of(place));
    }
    return work;
}

index_t size_of(const std::vector<IndexSet>& sets, int at) {
    return total(sets[static_cast<std::size_t>(at)]);
}

/// Elements of rows x cols of a matrix, as it is stored, that a rank has itself.
index_t held(const Distribution& x, int rank, const IndexSet& rows, const IndexSet& cols, Op op) {
    const GridPlace place = x.place_of(rank);
    if (place.row < 0) return 0;
    const IndexSet& down = op == Op::NoTrans ? rows : cols;
    const IndexSet& along = op == Op::NoTrans ? cols : rows;
    return overlap(x.rows_of(place.row), down) * overlap(x.cols_of(place.col), along);
}

void add_rank(const DistUpdate& update, const Work& work, int rank, index_t depth_sets,
              WorkCost& most) {
    const index_t size = bytes_of(update.type);
    const auto terms = static_cast<double>(update.terms.size());
    WorkCost mine;
    const WorkOfRank& share = work.of_rank[static_cast<std::size_t>(rank)];
    index_t from_here = 0;
    if (share.row >= 0) {
        const IndexSet& rows = work.rows[static_cast<std::size_t>(share.row)];
        const IndexSet& cols = work.cols[static_cast<std::size_t>(share.col)];
        const IndexSet& depth = work.depths[static_cast<std::size_t>(share.depth)];
        const index_t m = total(rows), n = total(cols), k = total(depth);
        mine.flops = terms * flops_per_fma(update.type) * static_cast<double>(m) *
                     static_cast<double>(n) * static_cast<double>(k);
        for (const DistTerm& term : update.terms) {
            const Distribution &a = term.a.matrix->distribution, &b = term.b.matrix->distribution;
            mine.factors[0] += size * (m * k - held(a, rank, rows, depth, term.a.op));
            mine.factors[1] += size * (k * n - held(b, rank, depth, cols, term.b.op));
        }
        mine.bytes = mine.factors[0] + mine.factors[1];
        mine.sums = work.in_place ? 0 : size * m * n;
        from_here = held(update.c.distribution, rank, rows, cols, Op::NoTrans);
    }
    const GridPlace place = update.c.distribution.place_of(rank);
    if (!work.in_place && place.row >= 0) {
        const index_t elements = total(update.c.distribution.rows_of(place.row)) *
                                 total(update.c.distribution.cols_of(place.col));
        mine.bytes += size * (elements * depth_sets - from_here);
        mine.sums += size * elements;
    }
    most.flops = std::max(most.flops, mine.flops);
    most.bytes = std::max(most.bytes, mine.bytes);
    for (std::size_t i = 0; i < 2; ++i)
        most.factors[i] = std::max(most.factors[i], mine.factors[i]);
    most.sums = std::max(most.sums, mine.sums);
    most.all_bytes += mine.bytes;
}

}  // namespace

Work stationary_c(const DistUpdate& update, int ranks) {
    const Distribution& c = update.c.distribution;
    Work work = with_places(c, ranks, [](GridPlace place) {
        return WorkOfRank{place.row, place.col, 0};
    });
    work.name = "stationary C";
    work.rows = row_sets(c), work.cols = col_sets(c);
    work.depths = {whole(update.k)};
    work.in_place = true;
    return work;
}

Work stationary_a(const DistUpdate& update, int ranks) {
    const DistFactor& a = update.terms.front().a;
    const Distribution& x = a.matrix->distribution;
    const bool straight = a.op == Op::NoTrans;
    Work work = with_places(x, ranks, [&](GridPlace place) {
        return straight ? WorkOfRank{place.row, 0, place.col} : WorkOfRank{place.col, 0, place.row};
    });
    work.name = "stationary A";
    work.rows = straight ? row_sets(x) : col_sets(x);
    work.depths = straight ? col_sets(x) : row_sets(x);
    work.layers = static_cast<int>(work.depths.size());
    work.cols = {whole(update.n)};
    return work;
}

Work stationary_b(const DistUpdate& update, int ranks) {
    const DistFactor& b = update.terms.front().b;
    const Distribution& x = b.matrix->distribution;
    const bool straight = b.op == Op::NoTrans;
    Work work = with_places(x, ranks, [&](GridPlace place) {
        return straight ? WorkOfRank{0, place.col, place.row} : WorkOfRank{0, place.row, place.col};
    });
    work.name = "stationary B";
    work.depths = straight ? row_sets(x) : col_sets(x);
    work.layers = static_cast<int>(work.depths.size());
    work.cols = straight ? col_sets(x) : row_sets(x);
    work.rows = {whole(update.m)};
    return work;
}

WorkCost cost_of(const DistUpdate& update, const Work& work, int ranks) {
    index_t depth_sets = 0;
    for (std::size_t i = 0; i < work.depths.size(); ++i)
        depth_sets += size_of(work.depths, static_cast<int>(i)) > 0;
    depth_sets = std::min<index_t>(depth_sets, work.layers);
    // The ranks of a grid are much alike: of many, some are looked at.
    constexpr int looked_at = 64;
    WorkCost most;
    for (int i = 0; i < std::min(ranks, looked_at); ++i)
        add_rank(update, work,
                 ranks <= looked_at ? i : static_cast<int>(index_t{i} * ranks / looked_at),
                 depth_sets, most);
    return most;
}

}  // namespace gemmill
