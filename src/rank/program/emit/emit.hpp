// SPDX-License-Identifier: Apache-2.0
// Makes the program of a rank: a rank emits its own steps from the distributions alone and never
// needs those of others.
#pragma once

#include "rank/program/program.hpp"

namespace gemmill {

RankProgram emit_program(const DistUpdate& update, const Work& work, const RankCut& cut, int rank,
                         int ranks);

}  // namespace gemmill
