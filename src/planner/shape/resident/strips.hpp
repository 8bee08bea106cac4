// SPDX-License-Identifier: Apache-2.0
// A gemm in strips: each device holds its block of A, B and C whole and works on parts of it, so
// that a transfer is as tall and a kernel as large as the moment allows.
//
//   the block of a device:    +-------+----+----+----+--+-+
//     front: grows while A    |       |    |    |    |  | |
//     arrives, panel of k     | front | strip after strip |
//     by panel, or panel of   |       | with all of k     |
//     rows by panel           |       |    |    |    |  | |
//                             +-------+----+----+----+--+-+
//
// With slices of k the devices form as many groups. Each group makes the whole front from its
// slice, and each strip of the sums is then gathered, added up and written by one of the devices
// that have it. While the front grows, A comes; while strips are made, finished parts of C go back.
// What several devices need is cut into as many pieces; each enters at another device and is passed
// on to the rest, so that all links from its home work on it.
#pragma once

#include "planner/draft.hpp"
#include "planner/policy.hpp"
#include "planner/split/deal.hpp"

namespace gemmill {

/// Fills in a plan that has its machine, problem, devices and limits; the problem must read A and
/// B. Throws Error(out_of_memory) when a block does not fit, Error(no_device) without direct links.
void plan_strips(Draft& plan, const Policy& policy, const Choice& choice);

}  // namespace gemmill
