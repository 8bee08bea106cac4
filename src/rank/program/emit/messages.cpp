// SPDX-License-Identifier: Apache-2.0
#include "rank/program/emit/messages.hpp"

#include <algorithm>
#include <optional>

namespace gemmill {
namespace {

/// The readers from the one behind `source` on, round the ring, who ask `source` for this factor.
std::vector<int> route_of(const Distribution& x, int source, const std::vector<int>& readers) {
    std::vector<int> route;
    const auto next = std::ranges::upper_bound(readers, source);
    const auto add = [&](int rank) {
        if (rank != source && x.serves(source, rank)) route.push_back(rank);
    };
    std::for_each(next, readers.end(), add);
    std::for_each(readers.begin(), next, add);
    return route;
}

}  // namespace

std::vector<Readers> readers_of(const Work& work, int operand) {
    std::vector<Readers> all;
    for (std::size_t rank = 0; rank < work.of_rank.size(); ++rank) {
        const WorkOfRank& share = work.of_rank[rank];
        if (share.row < 0) continue;
        const auto same = [&](const Readers& x) {
            return x.share.depth == share.depth &&
                   (operand == 0 ? x.share.row == share.row : x.share.col == share.col);
        };
        const auto found = std::ranges::find_if(all, same);
        if (found == all.end())
            all.push_back({share, {static_cast<int>(rank)}});
        else
            found->ranks.push_back(static_cast<int>(rank));
    }
    return all;
}

FactorMessages::FactorMessages(const Setting& setting, int term, int operand)
    : x_(setting),
      factor_(factor_of(setting.update, term, operand)),
      operand_(operand),
      // What counts as zero is set so by each reader for itself, and a replica has most of a panel.
      shares_(setting.cut.shared && factor_.fill == Fill::all &&
              !factor_.matrix->distribution.has_replicas()),
      holders_(factor_, operand, setting.rank, setting.ranks) {
    for (const Readers& readers : x_.readers) {
        if (holders_.my_across >= 0)
            routes_.push_back(route_of(*holders_.matrix, x_.rank, readers.ranks));
        if (std::ranges::binary_search(readers.ranks, x_.rank)) mine_ = &readers;
    }
}

void FactorMessages::emit(RankProgram& program, Stage& stage, index_t part) {
    stage_ = static_cast<int>(program.stages.size());
    look(stage, part);
    if (mine_ != nullptr) emit_panel(stage, part);
    if (shares_) return emit_placements(stage, part);
    emit_sends(program, part);
    if (mine_ != nullptr && !stage.panels[static_cast<std::size_t>(operand_)].at_home)
        emit_receives(program);
}

/// Which indices this rank needs, who has them, and what of this rank's others need.
void FactorMessages::look(const Stage& stage, index_t part) {
    const Moment now{stage.block, factor_.fill == Fill::all ? 0 : part};
    if (mine_ != nullptr)
        depth_sources_ = common_with(holders_.depth, x_.needs.depth(mine_->share, part));
    if (now == seen_ && part > 0) return;
    seen_ = now;
    if (mine_ != nullptr) {
        needed_ = x_.needs.across(mine_->share, stage, part, operand_);
        across_sources_ = common_with(holders_.across, needed_);
    }
    if (holders_.my_across >= 0) find_readers(stage, part);
}

void FactorMessages::find_readers(const Stage& stage, index_t part) {
    const IndexSet& have = holders_.across[static_cast<std::size_t>(holders_.my_across)];
    wanted_.clear();
    across_totals_.clear();
    for (std::size_t i = 0; i < x_.readers.size(); ++i) {
        if (routes_[i].empty() && !shares_) continue;
        const IndexSet needed = x_.needs.across(x_.readers[i].share, stage, part, operand_);
        Matches matches = meet(have, packed(needed));
        if (matches.empty()) continue;
        wanted_.push_back({static_cast<int>(i), std::move(matches)});
        across_totals_.push_back(total(needed));
    }
}

void FactorMessages::emit_panel(Stage& stage, index_t part) const {
    const IndexSet depth = x_.needs.depth(mine_->share, part);
    const IndexSet& rows = holders_.across_is_rows ? needed_ : depth;
    const IndexSet& cols = holders_.across_is_rows ? depth : needed_;
    Panel& panel = stage.panels[static_cast<std::size_t>(operand_)];
    panel.rows = total(rows), panel.cols = total(cols);
    panel.ld = std::max<index_t>(1, panel.rows);
    if (factor_.fill != Fill::all)
        panel.row_indices = packed(rows), panel.col_indices = packed(cols);
    set_own(panel);
    if (shares_ && !panel.at_home) share_panel(panel);
}

void FactorMessages::set_own(Panel& panel) const {
    const Matches* across = of_place(across_sources_, holders_.my_across);
    const Matches* along = of_place(depth_sources_, holders_.my_depth);
    if (across == nullptr || along == nullptr) return;
    panel.own = holders_.box(*across, *along);
    // A panel of several readers is made anyway, and one for a device is made where it copies fast.
    const RankMatrix& x = *factor_.matrix;
    const bool on_device = !x.device.empty() && x.device.front().data != nullptr;
    panel.at_home = factor_.fill == Fill::all && (!shares_ || mine_->ranks.size() == 1) &&
                    (!x_.cut.uploads || on_device) && total(panel.own.rows) == panel.rows &&
                    total(panel.own.cols) == panel.cols && is_one_run(panel.own.rows) &&
                    is_one_run(panel.own.cols);
    if (!panel.at_home) return;
    panel.ld = factor_.matrix->at.front().ld;
    panel.offset = panel.own.rows.front().from + panel.own.cols.front().from * panel.ld;
}

/// The rank's own part is one of those that are put into it.
void FactorMessages::share_panel(Panel& panel) const {
    panel.own = {};
    panel.group = static_cast<int>(mine_ - x_.readers.data());
    for (const Source& source : sources()) panel.sources.push_back(source.rank);
}

/// Calls f with each box of this rank that readers of a part of k want.
void FactorMessages::for_wanted(index_t part,
                                const std::function<void(const Common&, Box)>& f) const {
    std::optional<int> at;  // the share of k that `depth` is for
    Matches depth;
    for (const Common& want : wanted_) {
        const Readers& readers = x_.readers[static_cast<std::size_t>(want.place)];
        if (at != readers.share.depth) {
            at = readers.share.depth;
            depth = meet(holders_.depth[static_cast<std::size_t>(holders_.my_depth)],
                         packed(x_.needs.depth(readers.share, part)));
        }
        if (!depth.empty()) f(want, holders_.box(want.matches, depth));
    }
}

/// What this rank puts into panels of the node.
void FactorMessages::emit_placements(Stage& stage, index_t part) const {
    for_wanted(part, [&](const Common& want, Box box) {
        const Readers& readers = x_.readers[static_cast<std::size_t>(want.place)];
        const Panel& mine = stage.panels[static_cast<std::size_t>(operand_)];
        if (&readers == mine_ && mine.at_home) return;
        const index_t across = across_totals_[static_cast<std::size_t>(&want - wanted_.data())];
        const index_t rows =
            holders_.across_is_rows ? across : total(x_.needs.depth(readers.share, part));
        stage.placements.push_back(
            {operand_, want.place, std::move(box), std::max<index_t>(1, rows)});
    });
}

/// What this rank sends of its own.
void FactorMessages::emit_sends(RankProgram& program, index_t part) const {
    for_wanted(part, [&](const Common& want, Box box) {
        Fetch fetch = fetch_of(std::move(box), x_.rank);
        const std::vector<int>& route = routes_[static_cast<std::size_t>(want.place)];
        set_piece(fetch, route);
        fetch.from = x_.rank;
        fetch.to = is_chain(fetch) ? std::vector{route.front()} : route;
        program.fetches.push_back(std::move(fetch));
    });
}

/// Everyone begins with the next rank, so that nobody is asked by all at once.
std::vector<FactorMessages::Source> FactorMessages::sources() const {
    std::vector<Source> all;
    for (const Common& across : across_sources_)
        for (const Common& depth : depth_sources_) {
            const int rank = holders_.rank_at(across.place, depth.place);
            if (rank >= 0 && rank != x_.rank && holders_.matrix->serves(rank, x_.rank))
                all.push_back({rank, &across.matches, &depth.matches});
        }
    std::ranges::sort(all, {},
                      [&](const Source& x) { return (x.rank - x_.rank + x_.ranks) % x_.ranks; });
    return all;
}

void FactorMessages::emit_receives(RankProgram& program) const {
    for (const Source& source : sources()) {
        Fetch fetch = fetch_of(holders_.box(*source.across, *source.depth), source.rank);
        fetch.from = source.rank;
        if (is_chain(fetch)) join_chain(fetch, source.rank);
        program.fetches.push_back(std::move(fetch));
    }
}

void FactorMessages::join_chain(Fetch& fetch, int source) const {
    const std::vector<int> route = route_of(*holders_.matrix, source, mine_->ranks);
    const auto here = std::ranges::find(route, x_.rank);
    set_piece(fetch, route);
    fetch.hop = static_cast<int>(here - route.begin());
    if (here != route.begin()) fetch.from = *(here - 1);
    if (here + 1 != route.end()) fetch.to = {*(here + 1)};
}

/// A chain of several ranks works in pieces.
void FactorMessages::set_piece(Fetch& fetch, const std::vector<int>& route) const {
    if (is_chain(fetch) && route.size() > 1)
        fetch.piece = std::min(fetch.bytes, x_.cut.piece_bytes);
}
Fetch FactorMessages::fetch_of(Box box, int source) const {
    Fetch fetch;
    fetch.operand = operand_, fetch.stage = stage_;
    fetch.bytes = fetch.piece = box.elements() * bytes_of(x_.update.type);
    fetch.tag = (std::int64_t{stage_} * 2 + operand_) * x_.ranks + source;
    fetch.box = std::move(box);
    return fetch;
}

}  // namespace gemmill
