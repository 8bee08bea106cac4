// SPDX-License-Identifier: Apache-2.0
#include "planner/search/pad.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "machine/grain.hpp"
#include "model/cost.hpp"
#include "plan/access.hpp"

namespace gemmill {
namespace {

const Device& device_at(const Draft& frame, DeviceId id) {
    return frame.machine.devices[static_cast<std::size_t>(id)];
}

/// The part of the rate that is left without padding.
double part_without(const Draft& frame, const Device& device) {
    const auto m = static_cast<double>(frame.problem.m), n = static_cast<double>(frame.problem.n);
    index_t common = grain_of(frame.machine, device);
    for (const Operand& o : frame.operands) common = std::gcd(common, std::gcd(o.rows, o.cols));
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
    double rate = 0;
    for (const DeviceId d : devices)
        rate += rate_of(frame.machine, frame.problem, d) * part_without(frame, device_at(frame, d));
    const double bound = bound_seconds(frame.machine, frame.operands, frame.goal, devices);
    return flops_of(frame.operands, frame.goal) / rate > bound;
}

}  // namespace gemmill
