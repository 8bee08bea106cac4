// SPDX-License-Identifier: Apache-2.0
// What the scheduler does, each idea with a switch of its own (docs/runtime.md).
#pragma once

#include <cstdint>

namespace gemmill {

struct ScheduleOptions {
    bool l1 = true;            ///< a tile stays on its device for later steps
    bool l2 = true;            ///< a tile is fetched from a neighbour that has it
    bool in_flight = true;     ///< also from a copy that is still on its way
    bool eta = true;           ///< from where it arrives first, not from the nearest that has it
    bool spread_reads = true;  ///< a tile comes by way of a neighbour whose link to it is idle
    bool locality = true;      ///< tasks with more of their tiles at hand go first (equation 3)
    bool stealing = true;      ///< from other stations, when the queue is empty
    bool keep_new = true;      ///< a new tile of the target that others read stays, as E
    bool squares = true;       ///< the queue is in squares of tiles, not in columns
    bool leave_last = true;    ///< a device leaves a last task to one that will end it sooner
    bool chains = true;        ///< tasks that read each other's targets stay on one device
    bool halves = true;        ///< a device begins half of its share of what is left at most
    bool late = true;          ///< the old target comes after its products, where there is room
    /// What several devices will read comes in pieces of so many bytes at least over the links of
    /// all: smaller ones are all latency. 0: tiles come whole.
    std::int64_t piece = 1 << 20;
    int streams = 4;  ///< compute queues of a device at most; the machine may have fewer
    int station = 4;  ///< tasks that wait in the reservation station of a device
    int active = 2;   ///< tasks that a device has begun, interleaved over its streams
    int window = 8;   ///< kernels in flight whose inputs are there
    int fetches = 4;  ///< tiles on their way to a memory: inputs of two terms
    int ahead = 32;   ///< kernels that a device has been given before their inputs are there
    int look = 32;    ///< tasks of the queue among which a station chooses
    /// Of the flops, what a CPU beside GPUs gets (rectangles.hpp).
    double cpu_part = by_rate;
    static constexpr double by_rate = -1;  ///< nothing where that would hardly be felt
    static constexpr double probe = -2;    ///< by its rate, however little that is
    bool operator==(const ScheduleOptions&) const = default;
};

}  // namespace gemmill
