// SPDX-License-Identifier: Apache-2.0
// The other routines on one device that holds everything: operands lie in one buffer each, so that
// copies and kernels are as tall as the moment allows.
//
//   part l of a rank update:   of symm:                   of trmm and trsm: level3_lines.hpp
//     C          A               C      A        B
//     +--+       +-+             |##|   |  |     |  |
//     |\ |       |#|             |##| = |#\|  *  |##|
//     |##|  +=   |#| * its rows  |##|   | #|     |  |
//     |##|       |#|             |##|   | #|     |  |
//
// What is stored of A comes in panels, one for each part. A line of C (a column of tiles, or a row
// where A stands on the right) has all of a part in one product, two where A is half-stored.
#pragma once

#include "planner/level3_order.hpp"

namespace gemmill {

/// Fills in a plan that has its machine, problem, devices and limits. The problem must read A, the
/// choice has one device. Throws Error(out_of_memory) when not everything fits (trmm and trsm: not
/// even thin lines) and Error(no_device) without direct links.
void plan_tall(Plan& plan, const Level3Choice& choice);

}  // namespace gemmill
