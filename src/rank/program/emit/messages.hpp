// SPDX-License-Identifier: Apache-2.0
// The messages of one factor: what this rank sends, receives and passes on, stage by stage.
#pragma once

#include <functional>

#include "rank/program/emit/holders.hpp"
#include "rank/program/emit/needs.hpp"

namespace gemmill {

/// Ranks that need the same panel.
struct Readers {
    WorkOfRank share;
    std::vector<int> ranks;
};

/// All of them, for A (operand 0) or B.
std::vector<Readers> readers_of(const Work& work, int operand);

class FactorMessages {
  public:
    /// What all stages have in common; it must outlive this.
    struct Setting {
        const DistUpdate& update;
        const Needs& needs;
        const RankCut& cut;
        const std::vector<Readers>& readers;
        int rank, ranks;
    };
    FactorMessages(const Setting& setting, int term, int operand);

    /// Adds the messages of the next stage of a program, and sets its panel.
    void emit(RankProgram& program, Stage& stage, index_t part);

  private:
    /// What stays the same from stage to stage: which block, and of a triangle which part of k.
    struct Moment {
        int block = -1;
        index_t part = -1;
        bool operator==(const Moment&) const = default;
    };
    struct Source {
        int rank;
        const Matches *across, *depth;
    };

    void look(const Stage& stage, index_t part);
    void find_readers(const Stage& stage, index_t part);
    void emit_panel(Stage& stage, index_t part) const;
    void set_own(Panel& panel) const;
    void share_panel(Panel& panel) const;
    void for_wanted(index_t part, const std::function<void(const Common&, Box)>& f) const;
    void emit_placements(Stage& stage, index_t part) const;
    void emit_sends(RankProgram& program, index_t part) const;
    std::vector<Source> sources() const;
    void emit_receives(RankProgram& program) const;
    void join_chain(Fetch& fetch, int source) const;
    void set_piece(Fetch& fetch, const std::vector<int>& route) const;
    bool is_chain(const Fetch& fetch) const { return fetch.bytes >= x_.cut.chain_bytes; }
    Fetch fetch_of(Box box, int source) const;

    Setting x_;
    const DistFactor& factor_;
    int operand_, stage_ = 0;
    bool shares_;
    Holders holders_;
    std::vector<std::vector<int>> routes_;  // from this rank, by readers
    const Readers* mine_ = nullptr;
    Moment seen_;
    IndexSet needed_;
    std::vector<Common> across_sources_, depth_sources_, wanted_;
    std::vector<index_t> across_totals_;  // of the panels that `wanted_` is for
};

}  // namespace gemmill
