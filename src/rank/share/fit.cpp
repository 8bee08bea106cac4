// SPDX-License-Identifier: Apache-2.0
#include "rank/share/fit.hpp"

#include <algorithm>

namespace gemmill {
namespace {

/// Where memory is short stages get as short as this before blocks of C are halved.
constexpr index_t least_depth = 64;

index_t divided(index_t size, index_t parts) { return (size + parts - 1) / parts; }

/// Blocks of C that are written one after the other: not where C is needed to the end.
bool may_split(const DistUpdate& update, const Work& work) {
    return work.in_place && !update.c_is_factor;
}

}  // namespace

ShareSize largest_share(const Work& work) {
    ShareSize most;
    for (const IndexSet& set : work.rows) most.rows = std::max(most.rows, total(set));
    for (const IndexSet& set : work.cols) most.cols = std::max(most.cols, total(set));
    return most;
}

bool can_share_all(const DistUpdate& update) {
    const auto is_shared = [](const DistFactor& x) {
        return x.fill == Fill::all && !x.matrix->distribution.has_replicas();
    };
    return std::ranges::all_of(update.terms,
                               [&](const DistTerm& x) { return is_shared(x.a) && is_shared(x.b); });
}

index_t copies_of(const DistUpdate& update, const RankCut& cut) {
    if (cut.on_device) return 0;
    return cut.shared && can_share_all(update) ? 1 : 3;
}

std::int64_t memory_of(const DistUpdate& update, const Work& work, const RankCut& cut,
                       const WorkCost& cost) {
    const ShareSize share = largest_share(work);
    const index_t rows = divided(share.rows, cut.row_blocks);
    const index_t cols = divided(share.cols, cut.col_blocks);
    const index_t depth = std::min(cut.depth, update.k);
    const index_t panels = copies_of(update, cut) * (rows + cols) * depth * cut.places();
    const bool direct = work.in_place && !cut.on_device && depth == update.k &&
                        update.terms.size() == 1 && update.fill == Fill::all && !update.c_is_factor;
    const index_t sums = direct ? 0 : rows * cols;
    // Sums are sent, received and added up.
    return (panels + sums) * bytes_of(update.type) + 2 * cost.sums;
}

bool fit(const DistUpdate& update, const Work& work, const WorkCost& cost, std::int64_t limit,
         RankCut& cut) {
    const ShareSize share = largest_share(work);
    const bool splits = may_split(update, work);
    while (limit > 0 && memory_of(update, work, cut, cost) > limit) {
        if (cut.depth > least_depth)
            cut.depth = std::max(least_depth, std::min(cut.depth, update.k) / 2);
        else if (splits && divided(share.rows, cut.row_blocks) > 1 &&
                 divided(share.rows, cut.row_blocks) >= divided(share.cols, cut.col_blocks))
            cut.row_blocks *= 2;
        else if (splits && divided(share.cols, cut.col_blocks) > 1)
            cut.col_blocks *= 2;
        else if (cut.depth > 1)
            cut.depth /= 2;
        else
            return false;
    }
    return true;
}

bool fit_devices(const DistUpdate& update, const Work& work, const WorkCost& cost,
                 std::int64_t limit, RankCut& cut) {
    const ShareSize share = largest_share(work);
    const auto rows = [&] { return divided(share.rows, cut.row_blocks); };
    const auto cols = [&] { return divided(share.cols, cut.col_blocks); };
    const auto bytes = [&] {
        const index_t stages = cut.on_device ? cut.places() : cut.uploads ? uploaded_stages : 0;
        const index_t panels = stages * (rows() + cols()) * cut.depth;
        return (rows() * cols() + panels) * bytes_of(update.type);
    };
    while (bytes() > limit) {
        if (!may_split(update, work) || rows() * cols() <= 1) return false;
        // Each block of rows gets B once more, each block of columns A: from others, and from here.
        const std::int64_t line = update.k * bytes_of(update.type);
        const std::int64_t a = cost.factors[0] + (cut.uploads ? share.rows * line : 0);
        const std::int64_t b = cost.factors[1] + (cut.uploads ? share.cols * line : 0);
        const bool down = b * cut.row_blocks <= a * cut.col_blocks;
        (cols() == 1 || (down && rows() > 1) ? cut.row_blocks : cut.col_blocks) *= 2;
    }
    return true;
}

RankCut parsec_cut(const DistUpdate& update, const Work& work, const DistPolicy& policy) {
    const ShareSize share = largest_share(work);
    RankCut cut;
    cut.shared = policy.shared;
    cut.depth = std::max<index_t>(1, std::min(update.k, usual_depth));
    const std::int64_t size = bytes_of(update.type);
    while (policy.memory > 0 && cut.row_blocks < share.rows &&
           divided(share.rows, cut.row_blocks) * divided(share.cols, cut.col_blocks) * size >
               policy.memory / 4 * 3)
        cut.row_blocks *= 2, cut.col_blocks *= 2;
    cut.lookahead = cut.row_blocks * cut.col_blocks > 1 ? 2 : 1;
    return cut;
}

void set_given(const DistUpdate& update, const DistPolicy& policy, const Work& work, RankCut& cut) {
    const ShareSize share = largest_share(work);
    if (!may_split(update, work)) cut.row_blocks = cut.col_blocks = 1;
    if (policy.row_block > 0 && may_split(update, work))
        cut.row_blocks = std::max<index_t>(1, divided(share.rows, policy.row_block));
    if (policy.col_block > 0 && may_split(update, work))
        cut.col_blocks = std::max<index_t>(1, divided(share.cols, policy.col_block));
    if (policy.depth > 0) cut.depth = policy.depth;
    if (policy.lookahead >= 0) cut.lookahead = policy.lookahead;
}

}  // namespace gemmill
