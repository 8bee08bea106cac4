// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "rank/program.hpp"

namespace gemmill {
namespace {

// Addresses of panels are multiples of this, which every kernel likes.
constexpr std::int64_t alignment = 64;

index_t parts_of(index_t size, index_t part) { return (size + part - 1) / part; }

/// Positions [first, first + count) of part `at` of `parts` even ones.
IndexSet even_part(const IndexSet& set, index_t at, index_t parts) {
    const index_t size = total(set), first = size * at / parts;
    return positions(set, first, size * (at + 1) / parts - first);
}

/// Ranks that need the same panel.
struct Readers {
    WorkOfRank share;
    std::vector<int> ranks;
};

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

class Emitter {
  public:
    Emitter(const DistUpdate& update, const Work& work, const Cut& cut, int rank, int ranks)
        : update_(update), work_(work), cut_(cut), rank_(rank), ranks_(ranks) {
        index_t depth = 0;
        for (const IndexSet& set : work.depths) depth = std::max(depth, total(set));
        depth_parts_ = std::max<index_t>(1, parts_of(depth, cut.depth));
        // Even parts: no last one with hardly anything to do.
        depth_ = std::max<index_t>(1, parts_of(depth, depth_parts_));
        readers_[0] = readers_of(0), readers_[1] = readers_of(1);
    }

    RankProgram run() {
        emit_blocks();
        emit_stages();
        place_in_arena();
        emit_steps();
        return std::move(program_);
    }

  private:
    /// The indices of a share that take part in a stage.
    struct Needed {
        IndexSet rows, cols, depth;
    };

    const WorkOfRank& share_of(int rank) const {
        return work_.of_rank[static_cast<std::size_t>(rank)];
    }
    const DistTerm& term_of(const Stage& stage) const {
        return update_.terms[static_cast<std::size_t>(stage.term)];
    }
    static const DistFactor& factor_of(const DistTerm& term, int operand) {
        return operand == 0 ? term.a : term.b;
    }

    std::vector<Readers> readers_of(int operand) const {
        std::vector<Readers> all;
        for (int rank = 0; rank < ranks_; ++rank) {
            const WorkOfRank& share = share_of(rank);
            if (share.row < 0) continue;
            const auto same = [&](const Readers& x) {
                return x.share.depth == share.depth &&
                       (operand == 0 ? x.share.row == share.row : x.share.col == share.col);
            };
            const auto found = std::ranges::find_if(all, same);
            if (found != all.end())
                found->ranks.push_back(rank);
            else
                all.push_back({share, {rank}});
        }
        return all;
    }

    IndexSet block_rows(const WorkOfRank& share, int block) const {
        return even_part(work_.rows[static_cast<std::size_t>(share.row)], block % cut_.row_blocks,
                         cut_.row_blocks);
    }
    IndexSet block_cols(const WorkOfRank& share, int block) const {
        return even_part(work_.cols[static_cast<std::size_t>(share.col)], block / cut_.row_blocks,
                         cut_.col_blocks);
    }

    /// A triangular factor leaves out rows of C (or columns) that it has only zeros for. What is
    /// needed of A does not depend on columns of C, nor that of B on rows: readers of one panel
    /// must agree on it.
    Needed needed(const WorkOfRank& share, const Stage& stage, index_t part) const {
        Needed x;
        if (share.row < 0) return x;
        const DistTerm& term = term_of(stage);
        x.rows = block_rows(share, stage.block);
        x.cols = block_cols(share, stage.block);
        x.depth =
            positions(work_.depths[static_cast<std::size_t>(share.depth)], part * depth_, depth_);
        if (x.depth.empty()) return {};
        const index_t first = x.depth.front().begin;
        const index_t last = x.depth.back().begin + x.depth.back().count;
        if (term.a.fill != Fill::all)
            x.rows =
                is_lower(term.a) ? between(x.rows, first, update_.m) : between(x.rows, 0, last);
        if (term.b.fill != Fill::all)
            x.cols =
                is_lower(term.b) ? between(x.cols, 0, last) : between(x.cols, first, update_.n);
        return x;
    }

    /// The rows and columns of a factor, as it is stored, one behind the other.
    static Holding stored(const Needed& x, const DistFactor& factor, int operand) {
        const IndexSet down = packed(operand == 0 ? x.rows : x.depth);
        const IndexSet along = packed(operand == 0 ? x.depth : x.cols);
        return factor.op == Op::NoTrans ? Holding{down, along, 0} : Holding{along, down, 0};
    }
    static Box box_of(const Holding& from, const Holding& to) {
        return {meet(from.rows, to.rows), meet(from.cols, to.cols)};
    }

    void emit_blocks() {
        const WorkOfRank& mine = share_of(rank_);
        const auto count = static_cast<int>(cut_.row_blocks * cut_.col_blocks);
        for (int block = 0; block < count; ++block) {
            CBlock x;
            if (mine.row >= 0) x.rows = block_rows(mine, block), x.cols = block_cols(mine, block);
            program_.sums_ld = std::max(program_.sums_ld, total(x.rows));
            program_.blocks.push_back(std::move(x));
        }
        const bool one_stage = depth_parts_ == 1 && update_.terms.size() == 1;
        program_.direct = work_.in_place && one_stage && update_.fill == Fill::all &&
                          !update_.c_is_factor && update_.terms[0].a.fill == Fill::all &&
                          update_.terms[0].b.fill == Fill::all;
        program_.sums_bytes =
            program_.direct ? 0 : program_.sums_ld * max_block_cols() * bytes_of(update_.type);
    }
    index_t max_block_cols() const {
        index_t most = 0;
        for (const CBlock& block : program_.blocks) most = std::max(most, total(block.cols));
        return most;
    }

    void emit_stages() {
        for (int block = 0; block < static_cast<int>(program_.blocks.size()); ++block)
            for (int term = 0; term < static_cast<int>(update_.terms.size()); ++term)
                for (index_t part = 0; part < depth_parts_; ++part) {
                    Stage stage;
                    stage.term = term, stage.block = block;
                    emit_stage(stage, part);
                }
    }

    void emit_stage(Stage& stage, index_t part) {
        const CBlock& block = program_.blocks[static_cast<std::size_t>(stage.block)];
        const Needed mine = needed(share_of(rank_), stage, part);
        stage.rows = total(mine.rows), stage.cols = total(mine.cols);
        stage.depth = total(mine.depth);
        if (stage.rows > 0) stage.row = position_of(block.rows, mine.rows.front().begin);
        if (stage.cols > 0) stage.col = position_of(block.cols, mine.cols.front().begin);
        stage.overwrites = stage.term == 0 && part == 0 && !is_cleared();
        for (int operand = 0; operand < 2; ++operand) {
            emit_panel(stage, mine, operand);
            emit_sends(stage, part, operand);
            emit_receives(stage, mine, operand);
        }
        program_.stages.push_back(std::move(stage));
    }

    /// Where not every first stage makes all of its block.
    bool is_cleared() const {
        for (const DistTerm& term : update_.terms)
            if (term.a.fill != Fill::all || term.b.fill != Fill::all) return true;
        return update_.fill != Fill::all || total_depth_is_missing();
    }
    /// A rank without any part of k makes zeros.
    bool total_depth_is_missing() const {
        const WorkOfRank& mine = share_of(rank_);
        return mine.row >= 0 && work_.depths[static_cast<std::size_t>(mine.depth)].empty();
    }

    void emit_panel(Stage& stage, const Needed& mine, int operand) const {
        const DistFactor& factor = factor_of(term_of(stage), operand);
        const Holding need = stored(mine, factor, operand);
        Panel& panel = stage.panels[static_cast<std::size_t>(operand)];
        panel.rows = total(need.rows), panel.cols = total(need.cols);
        panel.ld = std::max<index_t>(1, panel.rows);
        if (factor.fill != Fill::all) panel.row_indices = need.rows, panel.col_indices = need.cols;
        const Distribution& x = factor.matrix->distribution;
        const auto have = x.holdings_of(rank_);
        if (have.empty() || panel.rows == 0 || panel.cols == 0) return;
        panel.own = box_of(have.front(), need);
        panel.at_home = factor.fill == Fill::all && total(panel.own.rows) == panel.rows &&
                        total(panel.own.cols) == panel.cols && is_one_run(panel.own.rows) &&
                        is_one_run(panel.own.cols);
        if (!panel.at_home) return;
        panel.ld = factor.matrix->at.front().ld;
        panel.offset = panel.own.rows.front().from + panel.own.cols.front().from * panel.ld;
    }

    std::int64_t tag_of(int operand, int source) const {
        const auto stage = static_cast<std::int64_t>(program_.stages.size());
        return (stage * 2 + operand) * ranks_ + source;
    }
    bool is_chain(std::int64_t bytes) const { return bytes >= cut_.chain_bytes; }

    /// What this rank sends of a factor at first hand.
    void emit_sends(const Stage& stage, index_t part, int operand) {
        const DistFactor& factor = factor_of(term_of(stage), operand);
        const Distribution& x = factor.matrix->distribution;
        const auto have = x.holdings_of(rank_);
        if (have.empty()) return;
        for (const Readers& readers : readers_[operand]) {
            std::vector<int> route = route_of(x, rank_, readers.ranks);
            if (route.empty()) continue;
            const Needed theirs = needed(readers.share, stage, part);
            Fetch fetch = fetch_of(operand, box_of(have.front(), stored(theirs, factor, operand)));
            if (fetch.bytes == 0) continue;
            fetch.from = rank_, fetch.tag = tag_of(operand, rank_);
            if (is_chain(fetch.bytes)) route.resize(1);
            fetch.to = std::move(route);
            program_.fetches.push_back(std::move(fetch));
        }
    }

    void emit_receives(const Stage& stage, const Needed& mine, int operand) {
        const DistFactor& factor = factor_of(term_of(stage), operand);
        const Distribution& x = factor.matrix->distribution;
        if (mine.depth.empty() || stage.panels[static_cast<std::size_t>(operand)].at_home) return;
        const Holding need = stored(mine, factor, operand);
        const std::vector<int>& readers = my_readers(operand);
        for (int step = 1; step < ranks_; ++step) {
            const int source = (rank_ + step) % ranks_;
            if (x.place_of(source).row < 0 || !x.serves(source, rank_)) continue;
            Fetch fetch = fetch_of(operand, box_of(x.holdings_of(source).front(), need));
            if (fetch.bytes == 0) continue;
            fetch.tag = tag_of(operand, source);
            fetch.from = source;
            if (is_chain(fetch.bytes)) {
                const std::vector<int> route = route_of(x, source, readers);
                const auto here = std::ranges::find(route, rank_);
                if (here != route.begin()) fetch.from = *(here - 1);
                if (here + 1 != route.end()) fetch.to = {*(here + 1)};
            }
            program_.fetches.push_back(std::move(fetch));
        }
    }

    const std::vector<int>& my_readers(int operand) const {
        const auto here = [&](const Readers& x) {
            return std::ranges::binary_search(x.ranks, rank_);
        };
        return std::ranges::find_if(readers_[operand], here)->ranks;
    }

    Fetch fetch_of(int operand, Box box) const {
        Fetch fetch;
        fetch.operand = operand;
        fetch.stage = static_cast<int>(program_.stages.size());
        fetch.bytes = box.elements() * bytes_of(update_.type);
        fetch.box = std::move(box);
        return fetch;
    }

    /// Stages take turns in `lookahead` + 1 places behind the sums.
    void place_in_arena() {
        std::int64_t largest = 0;
        const auto round_up = [](std::int64_t bytes) {
            return (bytes + alignment - 1) / alignment * alignment;
        };
        std::vector<std::int64_t> used(program_.stages.size(), 0);
        const auto take = [&](int stage, std::int64_t bytes) {
            std::int64_t& end = used[static_cast<std::size_t>(stage)];
            const std::int64_t offset = end;
            end += round_up(bytes);
            largest = std::max(largest, end);
            return offset;
        };
        for (int s = 0; s < static_cast<int>(program_.stages.size()); ++s)
            for (Panel& panel : program_.stages[static_cast<std::size_t>(s)].panels)
                if (!panel.at_home)
                    panel.offset = take(s, panel.ld * panel.cols * bytes_of(update_.type));
        for (Fetch& fetch : program_.fetches) fetch.offset = take(fetch.stage, fetch.bytes);

        const std::int64_t sums = round_up(program_.sums_bytes);
        const auto base = [&](int stage) { return sums + stage % places() * largest; };
        for (int s = 0; s < static_cast<int>(program_.stages.size()); ++s)
            for (Panel& panel : program_.stages[static_cast<std::size_t>(s)].panels)
                if (!panel.at_home) panel.offset += base(s);
        for (Fetch& fetch : program_.fetches) {
            fetch.offset += base(fetch.stage);
            program_.sent_bytes += fetch.bytes * static_cast<std::int64_t>(fetch.to.size());
        }
        const auto stages = static_cast<int>(program_.stages.size());
        program_.arena_bytes = sums + std::min(places(), stages) * largest;
    }
    int places() const { return cut_.lookahead + 1; }

    void step(RankOp op, int index) { program_.steps.push_back({op, index}); }

    void emit_steps() {
        const auto stages = static_cast<int>(program_.stages.size());
        by_stage_.resize(program_.stages.size());
        for (std::size_t i = 0; i < program_.fetches.size(); ++i)
            by_stage_[static_cast<std::size_t>(program_.fetches[i].stage)].push_back(
                static_cast<int>(i));
        for (int s = 0; s < stages + cut_.lookahead; ++s) {
            if (s < stages) begin_stage(s);
            if (s >= cut_.lookahead) end_stage(s - cut_.lookahead);
        }
        for (int s = std::max(0, stages - places()); s < stages; ++s) step(RankOp::drain, s);
    }

    void begin_stage(int s) {
        if (s >= places()) step(RankOp::drain, s - places());
        for (const int i : by_stage_[static_cast<std::size_t>(s)])
            if (program_.fetches[static_cast<std::size_t>(i)].from != rank_)
                step(RankOp::receive, i);
        for (const int i : by_stage_[static_cast<std::size_t>(s)])
            if (program_.fetches[static_cast<std::size_t>(i)].from == rank_) step(RankOp::send, i);
        step(RankOp::keep, s);
    }

    void end_stage(int s) {
        const Stage& stage = program_.stages[static_cast<std::size_t>(s)];
        for (const int i : by_stage_[static_cast<std::size_t>(s)])
            if (program_.fetches[static_cast<std::size_t>(i)].from != rank_)
                step(RankOp::unpack, i);
        const bool first =
            s == 0 || program_.stages[static_cast<std::size_t>(s) - 1].block != stage.block;
        const bool last = s + 1 == static_cast<int>(program_.stages.size()) ||
                          program_.stages[static_cast<std::size_t>(s) + 1].block != stage.block;
        if (first && is_cleared()) step(RankOp::clear, stage.block);
        if (term_of(stage).a.fill != Fill::all || term_of(stage).b.fill != Fill::all)
            step(RankOp::mask, s);
        if (stage.rows > 0 && stage.cols > 0) step(RankOp::product, s);
        if (last && work_.in_place && !program_.direct) step(RankOp::write, stage.block);
    }

    const DistUpdate& update_;
    const Work& work_;
    const Cut& cut_;
    int rank_, ranks_;
    index_t depth_ = 1, depth_parts_ = 1;
    std::array<std::vector<Readers>, 2> readers_;
    std::vector<std::vector<int>> by_stage_;
    RankProgram program_;
};

}  // namespace

RankProgram emit_program(const DistUpdate& update, const Work& work, const Cut& cut, int rank,
                         int ranks) {
    return Emitter(update, work, cut, rank, ranks).run();
}

std::string name_of(const RankProgram& program, const RankStep& step) {
    constexpr const char* names[] = {"receive", "send",    "keep",  "unpack", "mask",
                                     "clear",   "product", "write", "drain"};
    const char* name = names[static_cast<int>(step.op)];
    const bool is_fetch =
        step.op == RankOp::receive || step.op == RankOp::send || step.op == RankOp::unpack;
    if (!is_fetch) return fmt::format("{} {}", name, step.index);
    const Fetch& fetch = program.fetches[static_cast<std::size_t>(step.index)];
    std::string text = fmt::format("{} {} of stage {}, {} bytes", name, "AB"[fetch.operand],
                                   fetch.stage, fetch.bytes);
    if (step.op != RankOp::send) text += fmt::format(" from {}", fetch.from);
    for (std::size_t i = 0; i < fetch.to.size(); ++i)
        text += fmt::format("{}{}", i == 0 ? " to " : " ", fetch.to[i]);
    return text;
}

}  // namespace gemmill
