// SPDX-License-Identifier: Apache-2.0
// A gemm on one device whose memory does not hold the matrices: in bands of rows, one after the
// other, and each band in strips.
//
//   a band:   +-------+----+----+----+--+-+     A of the band stays while the band is made.
//             | front | strip after strip |     B and C pass through rings of seats, but the
//             +-------+----+----+----+--+-+     sums of the front have a place of their own.
//
// The front grows over k while A of the band arrives, and gets its C at the end. The first part of
// the next band's A has a place of its own, so that it is there when a band is finished; the rest
// of it comes while that part is used.
#pragma once

#include <span>

#include "planner/draft.hpp"
#include "planner/split/deal.hpp"

namespace gemmill {

/// Whether it is one device without room for the matrices that do not live there.
bool needs_bands(const Draft& frame, std::span<const DeviceId> devices);

/// Fills in a plan that has its machine, problem, devices and limits; the problem must read A and
/// B, and the choice has one device. Throws Error(out_of_memory) when even thin bands do not fit,
/// Error(no_device) without direct links.
void plan_bands(Draft& plan, const Choice& choice);

}  // namespace gemmill
