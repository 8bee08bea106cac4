// SPDX-License-Identifier: Apache-2.0
// What became of a run: which steps ended, what of the target is new, what failed and where. What
// is left of a plan can be told from it.
#pragma once

#include <string>
#include <vector>

#include "exec/backend.hpp"

namespace gemmill {

struct Outcome {
    Timeline times;                    ///< of the steps that ended, where the binding is timed
    std::vector<bool> ended;           ///< by StepId; a step that failed did not end
    std::vector<Completion> failures;  ///< as they came

    bool complete() const;
};

/// Submits every step of the plan and waits until none is left that can run: what does not depend
/// on a step that failed is done all the same. Throws only when the session cannot be opened.
Outcome carry_out(const Plan& plan, Backend& backend, const Binding& binding);

/// Tiles of the target that have their new value; all others have their old one, but for one whose
/// writing itself failed.
std::vector<TileId> written_tiles(const Plan& plan, const Outcome& outcome);

/// A step that failed in words.
std::string describe_failure(const Plan& plan, const Completion& failure);
/// Throws Error naming the first step that failed, and how much of the target is written.
void require_complete(const Plan& plan, const Outcome& outcome);

}  // namespace gemmill
