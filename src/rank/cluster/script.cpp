// SPDX-License-Identifier: Apache-2.0
#include "rank/cluster/script.hpp"

namespace gemmill {

RankScript script_of(const RankProgram& program) {
    RankScript script;
    script.steps = program.steps;
    for (const Fetch& x : program.fetches)
        script.messages.push_back({x.from, x.to, x.stage, x.hop, x.tag, x.bytes, x.piece});
    const std::vector<Stage>& stages = program.stages;
    for (std::size_t s = 0; s < stages.size(); ++s)
        script.stages.push_back({stages[s].rows, stages[s].cols, stages[s].depth,
                                 s == 0 || stages[s - 1].block != stages[s].block,
                                 s + 1 == stages.size() || stages[s + 1].block != stages[s].block});
    return script;
}

}  // namespace gemmill
