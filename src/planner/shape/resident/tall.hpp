// SPDX-License-Identifier: Apache-2.0
// The other routines on one device that holds everything: operands lie in one buffer each, so that
// copies and kernels are as tall as the moment allows.
//
//   part l of a rank update:   symm, hemm: mirrored.hpp
//     C          A             trmm, trsm: streamed/lines.hpp
//     +--+       +-+
//     |\ |       |#|             A comes in panels, one for each part of k. What lies
//     |##|  +=   |#| * its rows  below a square has all of a part in one product; the
//     |##|       |#|             square follows in one step when all of A is there.
//
#pragma once

#include "planner/split/targets/order.hpp"

namespace gemmill {

/// Fills in a plan that has its machine, problem, devices and limits. The problem must read A, the
/// choice has one device. Throws Error(out_of_memory) when not everything fits (symm, trmm and
/// trsm: not even thin lines) and Error(no_device) without direct links.
void plan_tall(Draft& plan, const Choice& choice);

}  // namespace gemmill
