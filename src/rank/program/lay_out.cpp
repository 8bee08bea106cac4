// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "rank/program/needs.hpp"

namespace gemmill {
namespace {

// Addresses of panels are multiples of this, which every kernel likes.
constexpr std::int64_t alignment = 64;

std::int64_t rounded_up(std::int64_t bytes) {
    return (bytes + alignment - 1) / alignment * alignment;
}

class Places {
  public:
    Places(RankProgram& program, const DistUpdate& update, int places)
        : program_(program), update_(update), places_(places), used_(program.stages.size(), 0) {}

    void run() {
        for (std::size_t s = 0; s < program_.stages.size(); ++s)
            for (Panel& panel : program_.stages[s].panels)
                if (!panel.at_home)
                    panel.offset = take(s, panel.ld * panel.cols * bytes_of(update_.type));
        for (Fetch& fetch : program_.fetches)
            fetch.offset = take(static_cast<std::size_t>(fetch.stage), fetch.bytes);
        const auto stages = static_cast<std::int64_t>(program_.stages.size());
        program_.arena_bytes = sums() + std::min<std::int64_t>(places_, stages) * largest_;
        move_to_places();
    }

  private:
    std::int64_t take(std::size_t stage, std::int64_t bytes) {
        const std::int64_t offset = used_[stage];
        used_[stage] += rounded_up(bytes);
        largest_ = std::max(largest_, used_[stage]);
        return offset;
    }
    std::int64_t sums() const { return rounded_up(program_.sums_bytes); }
    std::int64_t base(std::int64_t stage) const { return sums() + stage % places_ * largest_; }

    void move_to_places() {
        for (std::size_t s = 0; s < program_.stages.size(); ++s)
            for (Panel& panel : program_.stages[s].panels)
                if (!panel.at_home) panel.offset += base(static_cast<std::int64_t>(s));
        for (Fetch& fetch : program_.fetches) {
            fetch.offset += base(fetch.stage);
            program_.sent_bytes += fetch.bytes * static_cast<std::int64_t>(fetch.to.size());
        }
    }

    RankProgram& program_;
    const DistUpdate& update_;
    std::int64_t places_, largest_ = 0;
    std::vector<std::int64_t> used_;  // bytes, by stage
};

class Steps {
  public:
    Steps(RankProgram& program, const DistUpdate& update, const Work& work, const RankCut& cut,
          int rank)
        : program_(program),
          update_(update),
          in_place_(work.in_place),
          cleared_(is_cleared(update, work, rank)),
          lookahead_(cut.lookahead),
          places_(cut.places()),
          rank_(rank),
          by_stage_(program.stages.size()) {
        for (std::size_t i = 0; i < program.fetches.size(); ++i)
            by_stage_[static_cast<std::size_t>(program.fetches[i].stage)].push_back(
                static_cast<int>(i));
    }

    void run() {
        const auto stages = static_cast<int>(program_.stages.size());
        for (int s = 0; s < stages + lookahead_; ++s) {
            if (s < stages) begin(s);
            if (s >= lookahead_) end(s - lookahead_);
        }
        for (int s = std::max(0, stages - places_); s < stages; ++s) add(RankOp::drain, s);
    }

  private:
    void add(RankOp op, int index) { program_.steps.push_back({op, index}); }
    const Stage& stage(int s) const { return program_.stages[static_cast<std::size_t>(s)]; }

    /// A step for each message of a stage, those of this rank itself or all others.
    void for_messages(int s, bool own, RankOp op) {
        for (const int i : by_stage_[static_cast<std::size_t>(s)])
            if ((program_.fetches[static_cast<std::size_t>(i)].from == rank_) == own) add(op, i);
    }

    void begin(int s) {
        if (s >= places_) add(RankOp::drain, s - places_);
        for_messages(s, false, RankOp::receive);
        for_messages(s, true, RankOp::send);
        add(RankOp::keep, s);
    }

    void end(int s) {
        const Stage& x = stage(s);
        const auto stages = static_cast<int>(program_.stages.size());
        const bool first = s == 0 || stage(s - 1).block != x.block;
        const bool last = s + 1 == stages || stage(s + 1).block != x.block;
        for_messages(s, false, RankOp::unpack);
        if (first && cleared_) add(RankOp::clear, x.block);
        if (factor_of(update_, x.term, 0).fill != Fill::all ||
            factor_of(update_, x.term, 1).fill != Fill::all)
            add(RankOp::mask, s);
        if (x.rows > 0 && x.cols > 0) add(RankOp::product, s);
        if (last && in_place_ && !program_.direct) add(RankOp::write, x.block);
    }

    RankProgram& program_;
    const DistUpdate& update_;
    bool in_place_, cleared_;
    int lookahead_, places_, rank_;
    std::vector<std::vector<int>> by_stage_;  // fetches
};

}  // namespace

void lay_out(RankProgram& program, const DistUpdate& update, const Work& work, const RankCut& cut,
             int rank) {
    Places(program, update, cut.places()).run();
    Steps(program, update, work, cut, rank).run();
}

}  // namespace gemmill
