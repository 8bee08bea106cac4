// SPDX-License-Identifier: Apache-2.0
// First guesses, from bytes and rates alone; the search corrects them.
#pragma once

#include <vector>

#include "planner/choice.hpp"
#include "planner/draft.hpp"

namespace gemmill {

/// Seconds to bring A to the devices, B where it comes over the same links, all operands, to
/// compute, and to write C.
struct Rough {
    double a = 0, b_beside_a = 0, all = 0, compute = 0, write = 0;
};
/// `frame` is a plan with its machine, problem, devices and limits.
Rough rough_times(const Draft& frame, const std::vector<DeviceId>& devices);
/// About how many devices read what A's home can give, each at the rate of its link.
int rough_entries(const Draft& frame, const std::vector<DeviceId>& devices);

/// The front should keep the devices busy while A comes, as far as they have no time to lose.
double rough_front(const Rough& times);
/// A panel may be as much larger than the one before as computing takes longer than bringing.
double rough_growth(const Rough& times, double front);
/// So many that the devices do not wait long for the first one, and the host can issue them.
index_t rough_panels(const Draft& frame, const Choice& choice);
/// So few that the host can issue them in a quarter of the time that the work takes at least, and
/// not more than `enough`.
index_t rough_strips(const Draft& frame, const std::vector<DeviceId>& devices, double enough);

/// Bands for one device with little memory: about so many times the fewest.
Strips rough_bands(const Draft& frame, DeviceId device, double times);

/// The device that should get more of C because an operand lives there, C before B before A; -1:
/// none. And how much more, so that it takes as long to compute as the others to get and return
/// their C.
DeviceId favoured_device(const Draft& frame, const std::vector<DeviceId>& devices);
double rough_favour(const Draft& frame, const std::vector<DeviceId>& devices);

/// About the tiles of a gemm that is not in strips.
TileSize rough_tile(const Problem& problem, const Candidate& candidate);

/// About how many steps the plan of a candidate has.
double rough_steps(const Draft& frame, const Candidate& candidate);

}  // namespace gemmill
