// SPDX-License-Identifier: Apache-2.0
// A rank program without its elements: what a clock needs of it.
#pragma once

#include "rank/cluster/node.hpp"

namespace gemmill {

struct ScriptMessage {
    int from = -1;
    std::vector<int> to;
    int stage = 0, hop = 0;
    std::int64_t tag = 0, bytes = 0, piece = 0;
};

struct RankScript {
    std::vector<RankStep> steps;
    std::vector<ScriptMessage> messages;  ///< the fetches of the program
    std::vector<StageShape> stages;
};

RankScript script_of(const RankProgram& program);

}  // namespace gemmill
