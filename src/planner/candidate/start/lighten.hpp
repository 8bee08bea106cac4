// SPDX-License-Identifier: Apache-2.0
// Coarser candidates, where plans would be too dear to look at.
#pragma once

#include "planner/choice.hpp"
#include "planner/draft.hpp"

namespace gemmill {

/// Coarser strips or larger tiles, until a plan has about so many steps at most; as coarse as can
/// be where it still has more. What the user chose, and cuts that follow from memory, stay.
void lighten(const Draft& frame, Candidate& candidate, double steps);

}  // namespace gemmill
