// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include "rank/bound/bound.hpp"
#include "rank/bound/stored_bound.hpp"

namespace gemmill {
namespace {

struct Candidate {
    double least;  ///< elements that its bricks touch at least, beyond all of the matrices
    Bricks bricks;
};

/// All trees of so many bricks, least first. Each element of A is in a brick of every part of the
/// columns and so on. Where columns are cut last there are as many parts of them as bricks in a
/// part of k, or one less.
std::vector<Candidate> candidates(double m, double n, double k, int ranks) {
    std::vector<Candidate> all;
    for (int groups = 1; groups <= ranks; ++groups)
        for (int depths = 1; groups * depths <= ranks; ++depths)
            for (const bool by_rows : {true, false}) {
                const int others = ranks / (groups * depths);
                const double rows = by_rows ? groups : others, cols = by_rows ? others : groups;
                all.push_back({(cols - 1) * m * k + (rows - 1) * k * n + (depths - 1) * m * n,
                               {groups, depths, ranks, by_rows}});
            }
    std::ranges::sort(all, {}, &Candidate::least);
    return all;
}

}  // namespace

double layout_bound(const DistUpdate& update, int ranks) {
    const DistTerm& term = update.terms.front();
    if (update.m == 0 || update.n == 0 || update.k == 0) return 0;
    if (update.c.distribution.has_replicas() || term.a.matrix->distribution.has_replicas() ||
        term.b.matrix->distribution.has_replicas())
        return 0;
    const ProductOwners owners = product_owners(update, ranks);
    const StoredBound stored(owners);
    double least = std::numeric_limits<double>::max();
    for (const Candidate& x :
         candidates(static_cast<double>(update.m), static_cast<double>(update.n),
                    static_cast<double>(update.k), ranks)) {
        if (x.least >= least) break;  // of what they touch ranks store all, at best
        const BrickTree tree(x.bricks);
        const std::vector<BrickKind> bricks = brick_kinds(tree, owners);
        const double touched = touched_by(bricks);
        if (touched - stored.rough(bricks) < least)
            least = std::min(least, touched - stored.nearer(tree, bricks, touched - least));
    }
    return static_cast<double>(bytes_of(update.type)) * std::max(0.0, least);
}

NetBound net_bound(const DistUpdate& update, int ranks, double memory) {
    NetBound bound = net_bound(update.type, update.m, update.n, update.k, ranks, memory);
    bound.layout = layout_bound(update, ranks);
    return bound;
}

}  // namespace gemmill
