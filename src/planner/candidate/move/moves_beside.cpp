// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "planner/candidate/beside.hpp"
#include "planner/candidate/move/moves.hpp"
#include "planner/split/beside.hpp"

namespace gemmill {
namespace {

/// So many lines more, or fewer.
Move lines_by(index_t more, index_t most) {
    return [=](Candidate& c) {
        index_t& lines = c.choice.beside.lines;
        const index_t wanted = lines + more;
        if (lines == 0 || wanted <= 0 || wanted >= most) return false;
        lines = wanted;
        return true;
    };
}

}  // namespace

void add_beside_moves(const Draft& frame, const Choice& choice, std::vector<Move>& moves) {
    if (choice.beside.lines == 0) return;
    const index_t most = count_lines(frame.problem);
    const index_t block = whole_lines(frame, choice, choice.beside.lines);
    const index_t tenth = std::max(choice.beside.lines / 10 / block * block, block);
    for (const index_t more : {-tenth, tenth, -block, block}) moves.push_back(lines_by(more, most));
}

}  // namespace gemmill
