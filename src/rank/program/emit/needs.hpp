// SPDX-License-Identifier: Apache-2.0
// Which indices of m, n and k a rank's share takes part with in a stage.
#pragma once

#include "rank/program/program.hpp"

namespace gemmill {

class Needs {
  public:
    Needs(const DistUpdate& update, const Work& work, const RankCut& cut);

    /// Stages that a term of a block has.
    index_t parts() const { return static_cast<index_t>(begins_.size()) - 1; }
    /// A block of the share's C.
    CBlock block(const WorkOfRank& share, int at) const;
    IndexSet depth(const WorkOfRank& share, index_t part) const;
    /// Rows of C that need elements of A in a stage (operand 0), or columns that need elements of B
    /// (operand 1). A triangular factor leaves out those that it has only zeros for. They do not
    /// depend on the share's other dimension: readers of one panel must agree on it.
    IndexSet across(const WorkOfRank& share, const Stage& stage, index_t part, int operand) const;

  private:
    IndexSet rows(const WorkOfRank& share, int block) const;
    IndexSet cols(const WorkOfRank& share, int block) const;

    const DistUpdate& update_;
    const Work& work_;
    const RankCut& cut_;
    std::vector<index_t> begins_;  // of the parts of k, as positions, and behind the last
};

/// Whether the first stage of a block does not make all of it, so that its sums begin at zero.
bool is_cleared(const DistUpdate& update, const Work& work, int rank);

}  // namespace gemmill
