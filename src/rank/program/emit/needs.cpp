// SPDX-License-Identifier: Apache-2.0
#include "rank/program/emit/needs.hpp"

#include <algorithm>

namespace gemmill {
namespace {

index_t divided(index_t size, index_t part) { return (size + part - 1) / part; }

/// Part `at` of `parts` even ones.
IndexSet even_part(const IndexSet& set, index_t at, index_t parts) {
    if (parts == 1) return set;
    const index_t size = total(set), first = size * at / parts;
    return positions(set, first, size * (at + 1) / parts - first);
}

/// Where parts of k begin, and behind the last one. Even parts: no last one with hardly anything
/// to do. The first is made of smaller ones where they grow, each as large as all before it: a
/// device that computes a part while the next one comes must not wait for more than twice as much.
std::vector<index_t> parts_of_depth(index_t depth, const RankCut& cut) {
    constexpr index_t least = 256;  // below that products are slow
    const index_t parts = std::max<index_t>(1, divided(depth, cut.depth));
    const index_t each = std::max<index_t>(1, divided(depth, parts));
    std::vector<index_t> begins{0};
    if (cut.grows) {
        index_t first = each;
        while (first / 2 >= least) first /= 2;
        for (; first < each; first *= 2) begins.push_back(first);
    }
    for (index_t part = 1; part <= parts; ++part) begins.push_back(part * each);
    return begins;
}

const IndexSet& set_at(const std::vector<IndexSet>& sets, int at) {
    return sets[static_cast<std::size_t>(at)];
}

}  // namespace

Needs::Needs(const DistUpdate& update, const Work& work, const RankCut& cut)
    : update_(update), work_(work), cut_(cut) {
    index_t depth = 0;
    for (const IndexSet& set : work.depths) depth = std::max(depth, total(set));
    begins_ = parts_of_depth(depth, cut);
}

IndexSet Needs::rows(const WorkOfRank& share, int block) const {
    return even_part(set_at(work_.rows, share.row), block % cut_.row_blocks, cut_.row_blocks);
}
IndexSet Needs::cols(const WorkOfRank& share, int block) const {
    return even_part(set_at(work_.cols, share.col), block / cut_.row_blocks, cut_.col_blocks);
}

CBlock Needs::block(const WorkOfRank& share, int at) const {
    if (share.row < 0) return {};
    return {rows(share, at), cols(share, at)};
}

IndexSet Needs::depth(const WorkOfRank& share, index_t part) const {
    if (share.row < 0) return {};
    const auto at = static_cast<std::size_t>(part);
    return positions(set_at(work_.depths, share.depth), begins_[at], begins_[at + 1] - begins_[at]);
}

IndexSet Needs::across(const WorkOfRank& share, const Stage& stage, index_t part,
                       int operand) const {
    const IndexSet k = depth(share, part);
    if (k.empty()) return {};
    const IndexSet all = operand == 0 ? rows(share, stage.block) : cols(share, stage.block);
    const DistFactor& factor = factor_of(update_, stage.term, operand);
    if (factor.fill == Fill::all) return all;
    const index_t first = k.front().begin, last = k.back().begin + k.back().count;
    const bool from_first = is_lower(factor) == (operand == 0);
    return from_first ? between(all, first, operand == 0 ? update_.m : update_.n)
                      : between(all, 0, last);
}

bool is_cleared(const DistUpdate& update, const Work& work, int rank) {
    for (const DistTerm& term : update.terms)
        if (term.a.fill != Fill::all || term.b.fill != Fill::all) return true;
    // A rank without any part of k makes zeros.
    const WorkOfRank& mine = work.of_rank[static_cast<std::size_t>(rank)];
    return update.fill != Fill::all || (mine.row >= 0 && set_at(work.depths, mine.depth).empty());
}

}  // namespace gemmill
