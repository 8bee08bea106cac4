// SPDX-License-Identifier: Apache-2.0
// Where panels and messages of a program lie, and in which order its steps are done.
#pragma once

#include "rank/program/program.hpp"

namespace gemmill {

/// Puts panels and messages into the arena, where stages take turns in the places of the cut
/// behind the sums, and writes the steps.
void lay_out(RankProgram& program, const DistUpdate& update, const Work& work, const RankCut& cut,
             int rank);

}  // namespace gemmill
