// SPDX-License-Identifier: Apache-2.0
// How much of a problem a CPU gets beside other devices (split/beside.hpp).
#pragma once

#include "planner/choice.hpp"
#include "planner/draft.hpp"

namespace gemmill {

/// The CPU that may make a part of the problem beside the frame's other devices: one of them that
/// computes in host memory, where all operands are. -1: there is none.
DeviceId find_cpu_beside(const Draft& frame);

/// Seconds that the CPU would need for such a part of the problem.
double cpu_seconds(const Draft& frame, DeviceId cpu, double part);

/// The part that takes the CPU as long as the others take for the rest, of which all takes them so
/// many seconds.
double part_beside(const Draft& frame, DeviceId cpu, double seconds);

/// Lines of which the other devices should have whole multiples: their tiles, or what kernels like,
/// as far as the CPU, which should have `wanted` lines, then gets about that.
index_t whole_lines(const Draft& frame, const Choice& choice, index_t wanted);

}  // namespace gemmill
