// SPDX-License-Identifier: Apache-2.0
#include "rank/program/emit/lay_out.hpp"

#include <algorithm>
#include <array>

#include "rank/program/emit/needs.hpp"

namespace gemmill {
namespace {

/// Each place holds a panel of A, one of B and messages, each as large as any stage needs it, so
/// that others of the node know where a panel is.
class Places {
  public:
    Places(RankProgram& program, const DistUpdate& update, const RankCut& cut, int rank)
        : program_(program),
          update_(update),
          rank_(rank),
          on_device_(cut.on_device),
          used_(program.stages.size(), 0) {
        program.places = cut.places();
        program.on_device = cut.on_device;
    }

    void run() {
        std::array<std::int64_t, 2> panels{};
        for (const Stage& stage : program_.stages)
            for (std::size_t operand = 0; operand < 2; ++operand)
                panels[operand] = std::max(panels[operand], bytes_in(stage, operand));
        for (Fetch& fetch : program_.fetches)
            fetch.offset = take(static_cast<std::size_t>(fetch.stage), fetch.bytes);
        program_.first = rounded_up(program_.sums_bytes);
        program_.second = panels[0];
        program_.stride = panels[0] + panels[1] + largest_;
        const auto stages = static_cast<std::int64_t>(program_.stages.size());
        const std::int64_t all = std::min<std::int64_t>(program_.places, stages) * program_.stride;
        program_.arena_bytes = rounded_up(program_.sums_bytes) + (on_device_ ? 0 : all);
        program_.panel_bytes = on_device_ ? all : 0;
        move_to_places(panels[0] + panels[1]);
        count_sent();
    }

    /// Room on the device for the panels of a stage, whoever's memory they lie in.
    void upload() {
        for (const Stage& stage : program_.stages)
            for (std::size_t operand = 0; operand < 2; ++operand)
                if (const Panel& panel = stage.panels[operand]; !panel.at_home)
                    program_.uploaded[operand] =
                        std::max(program_.uploaded[operand], bytes_in(panel));
    }

  private:
    bool is_here(const Panel& panel, std::size_t operand) const {
        if (panel.at_home) return false;
        return panel.group < 0 ||
               owner_of(program_, static_cast<int>(operand), panel.group) == rank_;
    }
    std::int64_t bytes_in(const Stage& stage, std::size_t operand) const {
        const Panel& panel = stage.panels[operand];
        return is_here(panel, operand) ? bytes_in(panel) : 0;
    }
    std::int64_t bytes_in(const Panel& panel) const {
        return rounded_up(panel.ld * panel.cols * bytes_of(update_.type));
    }
    std::int64_t take(std::size_t stage, std::int64_t bytes) {
        const std::int64_t offset = used_[stage];
        used_[stage] += rounded_up(bytes);
        largest_ = std::max(largest_, used_[stage]);
        return offset;
    }
    std::int64_t base(std::int64_t stage) const {
        return program_.first + stage % program_.places * program_.stride;
    }

    void move_to_places(std::int64_t panels) {
        for (std::size_t s = 0; s < program_.stages.size(); ++s)
            for (std::size_t operand = 0; operand < 2; ++operand) {
                Panel& panel = program_.stages[s].panels[operand];
                if (is_here(panel, operand))
                    panel.offset =
                        base(static_cast<std::int64_t>(s)) + (operand == 0 ? 0 : program_.second);
            }
        for (Fetch& fetch : program_.fetches) fetch.offset += base(fetch.stage) + panels;
    }

    void count_sent() {
        for (const Fetch& fetch : program_.fetches)
            program_.sent_bytes += fetch.bytes * static_cast<std::int64_t>(fetch.to.size());
        for (const Stage& stage : program_.stages)
            for (const Placement& x : stage.placements) {
                const std::vector<int>& readers =
                    program_.readers[static_cast<std::size_t>(x.operand)]
                                    [static_cast<std::size_t>(x.group)];
                program_.sent_bytes += x.box.elements() * bytes_of(update_.type) *
                                       (std::ssize(readers) - std::ranges::count(readers, rank_));
            }
    }

    RankProgram& program_;
    const DistUpdate& update_;
    int rank_;
    bool on_device_;
    std::int64_t largest_ = 0;
    std::vector<std::int64_t> used_;  // bytes of messages, by stage
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

    static bool is_shared(const Stage& x) {
        return x.panels[0].group >= 0 || x.panels[1].group >= 0;
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
        if (is_shared(x) && !program_.on_device) add(RankOp::await, s);
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
    Places places(program, update, cut, rank);
    places.run();
    if (cut.uploads && !cut.on_device) places.upload();
    Steps(program, update, work, cut, rank).run();
}

}  // namespace gemmill
