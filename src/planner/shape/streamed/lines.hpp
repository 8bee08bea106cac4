// SPDX-License-Identifier: Apache-2.0
// trmm and trsm on one device: lines of C, each with one tall product for all that a block goes
// into.
//
//     A        C, in lines      A block of a line is brought, goes into the sums of all blocks
//     +-+      +---+---+---+    behind it, and is multiplied or solved itself. Then the line's
//     |\|      |   |   |   |    next block comes.
//     | +-+    | s | s |   |
//     | |\|    | u | u |   |    The sums of some lines are on the device, the blocks that are
//     | | +-+  | m | m |   |    brought pass through a ring of seats. Where there is room, A stays
//     | | |\|  | s | s |   |    and comes once; else it passes again for each take of lines.
//     +-+-+-+  +---+---+---+
#pragma once

#include "planner/split/targets/order.hpp"

namespace gemmill {

/// Fills in a plan that has its machine, problem, devices and limits; its device has direct links
/// and A is read. Of the choice count the device, `cut` (made smaller where it does not fit) and
/// `outer`, the part of the lines that are made together while A arrives. Throws
/// Error(out_of_memory) when not even thin lines fit.
void plan_lines(Draft& plan, const Choice& choice);

}  // namespace gemmill
