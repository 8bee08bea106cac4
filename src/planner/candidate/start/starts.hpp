// SPDX-License-Identifier: Apache-2.0
// Where the search starts.
#pragma once

#include <optional>
#include <vector>

#include "planner/choice.hpp"
#include "planner/draft.hpp"

namespace gemmill {

struct Starts {
    std::vector<Candidate> likely;     ///< coarse plans, the most promising first
    std::vector<Candidate> otherwise;  ///< where there can be none of them
};

/// Ways to begin on these devices, with the policy and the caller's choices of `first`, cut so that
/// each has about `steps` steps at most, where that can be.
Starts starts_on(const Draft& frame, const Candidate& first, const std::vector<DeviceId>& devices,
                 double steps);
/// The same for the routines but gemm.
Starts level3_starts_on(const Draft& frame, const Candidate& first,
                        const std::vector<DeviceId>& devices, double steps);
/// On all devices of the frame, those in which each of several holds all of A; none for a gemm.
std::vector<Candidate> shared_starts(const Draft& frame, const Candidate& first, double steps);
/// The one that follows from the times, with what `start` has chosen of the rest.
std::optional<Candidate> shared_from(const Draft& frame, const Candidate& start);

/// What named policies make of the problem on these devices.
std::vector<Candidate> named_on(const Draft& frame, const Candidate& first,
                                const std::vector<DeviceId>& devices);
/// What a policy chooses for a routine but gemm; of the choice devices, tile and queues count.
Candidate level3_candidate(const Draft& frame, const Policy& policy, Choice choice);

/// Few and coarse strips, so that they are cheap to compare; none where they make no sense: no
/// products, nothing to move, or choices of the user that strips do not know.
std::vector<Candidate> coarse_strips(const Draft& frame, const Candidate& start);

/// The same way to make a plan on other devices.
Candidate moved_to(const Draft& frame, Candidate candidate, const std::vector<DeviceId>& devices);

/// The largest tiles of a gemm that are moved; those that stay at home may be larger.
TileSize tile_used(const Draft& plan);

}  // namespace gemmill
