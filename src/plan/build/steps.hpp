// SPDX-License-Identifier: Apache-2.0
// Steps whose fields follow from the goal of their plan.
#pragma once

#include "gemmill/plan.hpp"

namespace gemmill {

/// What a step takes over of the tile that it adds to: nothing, what the goal keeps of the old
/// value, or the sum that is there.
enum class Keep : std::uint8_t { zero, old, sum };

Scale scale_of(const Plan& plan, Keep keep);

/// The triangle of the target that a step on this tile must keep to: none off the diagonal.
Triangle triangle_at(const Plan& plan, const Tile& tile);

/// Adds to a sum: another sum of the same tile, or its old value.
Step add_step(const Plan& plan, QueueId queue, const Ref& sum, Keep keep, const Ref& in);
/// Fills in a tile that is not stored, from its image.
Step mirror_step(const Plan& plan, QueueId queue, const Ref& out, const Ref& in);
/// Over a link; the queue is for the caller to set.
Step move_step(const Plan& plan, Opcode op, const Ref& from, const Ref& to, int piece = 0,
               int pieces = 1);

}  // namespace gemmill
