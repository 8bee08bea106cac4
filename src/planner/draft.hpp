// SPDX-License-Identifier: Apache-2.0
// A plan while it is made, with the problem that it is for.
#pragma once

#include <limits>

#include "gemmill/plan.hpp"
#include "gemmill/problem.hpp"

namespace gemmill {

struct Draft : Plan {
    Problem problem;
    DeviceId cpu = -1;  ///< that may make a part of it where it lies (split/beside.hpp); -1: none
    /// Of tiles: a plan lists every one of them, so there must not be too many.
    double most_products = 1e7;
    /// A plan that has more is given up while it is made.
    double most_steps = std::numeric_limits<double>::infinity();
};

inline MemoryId device_memory(const Machine& machine, DeviceId device) {
    return machine.devices[static_cast<std::size_t>(device)].memory;
}
/// Flops a second of the device for the problem's type.
inline double rate_of(const Machine& machine, const Problem& problem, DeviceId device) {
    return machine.devices[static_cast<std::size_t>(device)]
        .peak[static_cast<std::size_t>(problem.type)];
}

/// As it was before anything was planned: machine, problem, devices and limits stay.
inline void clear(Draft& plan) {
    plan.slab.clear();
    plan.tiles.clear();
    plan.buffers.clear();
    plan.queues.clear();
    plan.steps.clear();
    plan.waits.clear();
    plan.prediction = {};
}

}  // namespace gemmill
