// SPDX-License-Identifier: Apache-2.0
#include "rank/program/emit/emit.hpp"

#include <algorithm>

#include "rank/program/emit/lay_out.hpp"
#include "rank/program/emit/messages.hpp"

namespace gemmill {
namespace {

class Emitter {
  public:
    Emitter(const DistUpdate& update, const Work& work, const RankCut& cut, int rank, int ranks)
        : update_(update),
          mine_(work.of_rank[static_cast<std::size_t>(rank)]),
          needs_(update, work, cut),
          cleared_(is_cleared(update, work, rank)),
          readers_{readers_of(work, 0), readers_of(work, 1)} {
        for (int term = 0; term < static_cast<int>(update.terms.size()); ++term)
            for (int operand = 0; operand < 2; ++operand)
                messages_.emplace_back(
                    FactorMessages::Setting{update, needs_, cut,
                                            readers_[static_cast<std::size_t>(operand)], rank,
                                            ranks},
                    term, operand);
    }

    RankProgram run(const Work& work, const RankCut& cut, int rank) {
        for (int block = 0; block < static_cast<int>(cut.row_blocks * cut.col_blocks); ++block)
            program_.blocks.push_back(needs_.block(mine_, block));
        place_sums(work, cut);
        if (cut.shared) share_panels();
        for (int block = 0; block < static_cast<int>(program_.blocks.size()); ++block)
            for (int term = 0; term < static_cast<int>(update_.terms.size()); ++term)
                for (index_t part = 0; part < needs_.parts(); ++part) emit_stage(block, term, part);
        lay_out(program_, update_, work, cut, rank);
        return std::move(program_);
    }

  private:
    void share_panels() {
        for (std::size_t operand = 0; operand < 2; ++operand)
            for (const Readers& readers : readers_[operand])
                program_.readers[operand].push_back(readers.ranks);
    }

    void place_sums(const Work& work, const RankCut& cut) {
        const DistTerm& first = update_.terms.front();
        program_.direct = work.in_place && !cut.on_device && needs_.parts() == 1 &&
                          update_.terms.size() == 1 && update_.fill == Fill::all &&
                          !update_.c_is_factor && first.a.fill == Fill::all &&
                          first.b.fill == Fill::all;
        index_t cols = 0;
        for (const CBlock& block : program_.blocks) {
            program_.sums_ld = std::max(program_.sums_ld, total(block.rows));
            cols = std::max(cols, total(block.cols));
        }
        if (!program_.direct)
            program_.sums_bytes = program_.sums_ld * cols * bytes_of(update_.type);
    }

    void emit_stage(int block, int term, index_t part) {
        Stage stage;
        stage.term = term, stage.block = block;
        const IndexSet depth = needs_.depth(mine_, part);
        if (!depth.empty()) set_size(stage, part, total(depth));
        stage.overwrites = term == 0 && part == 0 && !cleared_;
        for (int operand = 0; operand < 2; ++operand)
            messages_[2 * static_cast<std::size_t>(term) + static_cast<std::size_t>(operand)].emit(
                program_, stage, part);
        program_.stages.push_back(std::move(stage));
    }

    void set_size(Stage& stage, index_t part, index_t depth) const {
        const CBlock& block = program_.blocks[static_cast<std::size_t>(stage.block)];
        const IndexSet rows = needs_.across(mine_, stage, part, 0);
        const IndexSet cols = needs_.across(mine_, stage, part, 1);
        stage.rows = total(rows), stage.cols = total(cols), stage.depth = depth;
        if (stage.rows > 0) stage.row = position_of(block.rows, rows.front().begin);
        if (stage.cols > 0) stage.col = position_of(block.cols, cols.front().begin);
    }

    const DistUpdate& update_;
    const WorkOfRank& mine_;
    Needs needs_;
    bool cleared_;
    std::array<std::vector<Readers>, 2> readers_;
    std::vector<FactorMessages> messages_;  // by term and operand
    RankProgram program_;
};

}  // namespace

RankProgram emit_program(const DistUpdate& update, const Work& work, const RankCut& cut, int rank,
                         int ranks) {
    return Emitter(update, work, cut, rank, ranks).run(work, cut, rank);
}

}  // namespace gemmill
