// SPDX-License-Identifier: Apache-2.0
#include "planner/candidate/pad.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "machine/grain.hpp"
#include "model/cost.hpp"
#include "plan/access.hpp"

namespace gemmill {
namespace {

/// The part of the rate that is left without padding.
double part_without(const Draft& frame, const Device& device) {
    const auto m = static_cast<double>(frame.problem.m), n = static_cast<double>(frame.problem.n);
    index_t common = grain_of(frame.machine, device);
    for (const Operand& o : frame.operands)
        common = std::gcd(common, std::gcd(o.rows, pitch_of(o)));
    const Problem& p = frame.problem;
    return odd_part(frame.machine, device, {p.type, p.op_a, p.op_b, std::sqrt(m * n), common});
}

}  // namespace

index_t grain_for(const Draft& frame, const Choice& choice) {
    return choice.padded ? grain_of(frame.machine) : 1;
}

bool can_pad(const Draft& frame) {
    return std::ranges::any_of(frame.machine.devices,
                               [&](const Device& d) { return part_without(frame, d) < 1; });
}

bool should_pad(const Draft& frame, const std::vector<DeviceId>& devices) {
    if (!can_pad(frame)) return false;
    // Whether slower kernels cost the whole more than the bound is found by.
    constexpr double found = 1.001;
    Machine slower = frame.machine;
    for (Device& device : slower.devices) {
        const double part = part_without(frame, device);
        for (double& peak : device.peak) peak *= part;
    }
    return bound_seconds(slower, frame.operands, frame.goal, devices) >
           found * bound_seconds(frame.machine, frame.operands, frame.goal, devices);
}

}  // namespace gemmill
