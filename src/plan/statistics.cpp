// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "gemmill/plan.hpp"
#include "machine/sharing.hpp"
#include "plan/access.hpp"

namespace gemmill {
namespace {

std::int64_t& class_of(Bytes& bytes, const Machine& machine, MemoryId from, MemoryId to) {
    const auto is_host = [&](MemoryId m) {
        return machine.memories[static_cast<std::size_t>(m)].kind == MemoryKind::host;
    };
    if (from == to) return bytes.local;
    if (is_host(from)) return is_host(to) ? bytes.h2h : bytes.h2d;
    return is_host(to) ? bytes.d2h : bytes.d2d;
}

bool computes_in(const Machine& machine, std::span<const DeviceId> devices, MemoryId memory) {
    return std::ranges::any_of(devices, [&](DeviceId d) {
        return machine.devices[static_cast<std::size_t>(d)].memory == memory;
    });
}

/// Bytes that must leave (or enter) a memory in which none of the devices computes.
std::int64_t forced_bytes(const Machine& machine, const Problem& problem,
                          std::span<const DeviceId> devices, MemoryId memory, bool leaving) {
    if (computes_in(machine, devices, memory)) return 0;
    std::int64_t bytes = 0;
    for (const Operand operand : {Operand::A, Operand::B, Operand::C}) {
        if (problem.home[static_cast<std::size_t>(operand)] != memory) continue;
        if (leaving ? is_read(problem, operand) : operand == Operand::C)
            bytes += operand_bytes(problem, operand);
    }
    return bytes;
}

/// What all links between a memory and the devices' memories can carry together, with those to the
/// host, which tiles may be relayed through.
double bandwidth_around(const Machine& machine, std::span<const DeviceId> devices, MemoryId memory,
                        bool leaving) {
    std::vector<LinkId> links;
    for (std::size_t i = 0; i < machine.links.size(); ++i) {
        const Link& link = machine.links[i];
        const MemoryId near = leaving ? link.from : link.to, far = leaving ? link.to : link.from;
        const bool relay = far != memory &&
                           machine.memories[static_cast<std::size_t>(far)].kind == MemoryKind::host;
        if (near == memory && (relay || computes_in(machine, devices, far)))
            links.push_back(static_cast<LinkId>(i));
    }
    return most_bandwidth(machine, links);
}

Bytes bytes_bound(const Plan& plan) {
    Bytes bound;
    const auto memories = static_cast<MemoryId>(plan.machine.memories.size());
    for (MemoryId m = 0; m < memories; ++m) {
        const bool host =
            plan.machine.memories[static_cast<std::size_t>(m)].kind == MemoryKind::host;
        const auto forced = [&](bool leaving) {
            return forced_bytes(plan.machine, plan.problem, plan.devices, m, leaving);
        };
        (host ? bound.h2d : bound.d2d) += forced(true);
        (host ? bound.d2h : bound.d2d) += forced(false);
    }
    return bound;
}

}  // namespace

Statistics statistics(const Plan& plan) {
    Statistics s;
    s.device_flops.assign(plan.machine.devices.size(), 0);
    s.link_bytes.assign(plan.machine.links.size(), 0);
    s.bound = bytes_bound(plan);
    for (const Step& step : plan.steps) {
        const Queue& queue = plan.queues[static_cast<std::size_t>(step.queue)];
        const auto index = static_cast<std::size_t>(queue.index);
        ++s.steps[static_cast<std::size_t>(step.kind)];
        s.waits += step.wait_count;
        if (queue.kind == QueueKind::compute) {
            s.device_flops[index] += flops_of(plan, step);
            s.flops += flops_of(plan, step);
        } else {
            const Link& link = plan.machine.links[index];
            s.link_bytes[index] += bytes_moved(plan, step);
            class_of(s.moved, plan.machine, link.from, link.to) += bytes_moved(plan, step);
        }
    }
    return s;
}

double bound_seconds(const Machine& machine, const Problem& problem,
                     std::span<const DeviceId> devices) {
    double rate = 0;
    for (const DeviceId d : devices)
        rate += machine.devices[static_cast<std::size_t>(d)]
                    .peak[static_cast<std::size_t>(problem.type)];
    double bound = rate > 0 ? flops_of(problem) / rate : 0;
    const auto memories = static_cast<MemoryId>(machine.memories.size());
    for (MemoryId m = 0; m < memories; ++m)
        for (const bool leaving : {true, false}) {
            const std::int64_t bytes = forced_bytes(machine, problem, devices, m, leaving);
            const double bandwidth = bandwidth_around(machine, devices, m, leaving);
            if (bytes > 0 && bandwidth > 0)
                bound = std::max(bound, static_cast<double>(bytes) / bandwidth);
        }
    return bound;
}

}  // namespace gemmill
