// SPDX-License-Identifier: Apache-2.0
// symm and hemm on one device that holds A, filled up, and lines of B and C.
//
//     C, in lines      A             B        Part l of k: what is stored of its columns comes,
//     +---+---+        +-+-----+     +---+    what is not is mirrored, and each line has all of
//     |   |   |        |#|     |     |   |    the part in one product, as of a gemm. The first
//     | s | s |        |#+-+---+     |###|    lines are made together while A arrives. Where
//     | u | u |   +=   |#|#|   |  *  |   |    memory is short the others follow one by one, in
//     | m | m |        |#|#|   |     |   |    the seats of those that are done.
//     +---+---+        +-+-+---+     +---+
#pragma once

#include "planner/split/targets/order.hpp"

namespace gemmill {

/// Fills in a plan that has its machine, problem, devices and limits; its device has direct links
/// and A is read. Of the choice count the device, `cut` (lines are made thinner where they do not
/// fit), `late`, and `outer`, the part of k that goes over all lines at first. Throws
/// Error(out_of_memory) when there is no room for A and two thin lines.
void plan_mirrored(Draft& plan, const Choice& choice);

}  // namespace gemmill
