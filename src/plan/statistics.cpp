// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "gemmill/plan.hpp"
#include "machine/reach.hpp"
#include "machine/sharing.hpp"
#include "plan/access.hpp"

namespace gemmill {
namespace {

std::int64_t& class_of(Bytes& bytes, const Machine& machine, const Link& link) {
    if (link.from == link.to) return bytes.local;
    const bool to_host = is_host(machine, link.to);
    if (is_host(machine, link.from)) return to_host ? bytes.h2h : bytes.h2d;
    return to_host ? bytes.d2h : bytes.d2d;
}

/// Counts one fetch or write.
void add_transfer(Statistics& s, const Plan& plan, const Step& step, LinkId id) {
    const Link& link = plan.machine.links[static_cast<std::size_t>(id)];
    const std::int64_t bytes = bytes_moved(plan, step);
    s.link_bytes[static_cast<std::size_t>(id)] += bytes;
    class_of(s.moved, plan.machine, link) += bytes;
    if (link.from == link.to) return;
    if (step.in[0].buffer == Ref::home) {
        s.read[static_cast<std::size_t>(tile_of(plan, step.in[0]).operand)] += bytes;
    } else if (is_host(plan.machine, link.from) && !is_host(plan.machine, link.to)) {
        s.relayed += bytes;
    }
}

bool computes_in(const Machine& machine, std::span<const DeviceId> devices, MemoryId memory) {
    return std::ranges::any_of(devices, [&](DeviceId d) {
        return reaches(machine, machine.devices[static_cast<std::size_t>(d)].memory, memory);
    });
}

/// Bytes that must leave (or enter) a memory in which no device computes.
std::int64_t forced_bytes(std::span<const Operand> operands, const Goal& goal, MemoryId memory,
                          bool leaving) {
    std::int64_t bytes = 0;
    for (OperandId id = 0; const Operand& operand : operands) {
        const bool moves = leaving ? is_read(goal, id) : id == goal.target;
        if (operand.home == memory && moves) bytes += needed_bytes(operand);
        ++id;
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
        const bool relay = far != memory && is_host(machine, far);
        if (near == memory && (relay || computes_in(machine, devices, far)))
            links.push_back(static_cast<LinkId>(i));
    }
    return most_bandwidth(machine, links);
}

Bytes bytes_bound(const Plan& plan) {
    Bytes bound;
    const auto memories = static_cast<MemoryId>(plan.machine.memories.size());
    for (MemoryId m = 0; m < memories; ++m) {
        const bool host = is_host(plan.machine, m);
        if (computes_in(plan.machine, plan.devices, m)) continue;
        const auto forced = [&](bool leaving) {
            return forced_bytes(plan.operands, plan.goal, m, leaving);
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
    s.read.assign(plan.operands.size(), 0);
    s.bound = bytes_bound(plan);
    for (const Step& step : plan.steps) {
        const Queue& queue = plan.queues[static_cast<std::size_t>(step.queue)];
        const auto index = static_cast<std::size_t>(queue.index);
        ++s.steps[static_cast<std::size_t>(step.op)];
        s.waits += step.wait_count;
        if (queue.kind == QueueKind::compute) {
            s.device_flops[index] += flops_of(plan, step);
            s.flops += flops_of(plan, step);
        } else {
            add_transfer(s, plan, step, queue.index);
        }
    }
    return s;
}

double bound_seconds(const Machine& machine, std::span<const Operand> operands, const Goal& goal,
                     std::span<const DeviceId> devices) {
    const auto type =
        static_cast<std::size_t>(operands[static_cast<std::size_t>(goal.target)].type);
    double rate = 0;
    for (const DeviceId d : devices)
        rate += machine.devices[static_cast<std::size_t>(d)].peak[type];
    double bound = rate > 0 ? flops_of(operands, goal) / rate : 0;
    const auto memories = static_cast<MemoryId>(machine.memories.size());
    for (MemoryId m = 0; m < memories; ++m) {
        if (computes_in(machine, devices, m)) continue;
        for (const bool leaving : {true, false}) {
            const std::int64_t bytes = forced_bytes(operands, goal, m, leaving);
            if (bytes == 0) continue;
            const double bandwidth = bandwidth_around(machine, devices, m, leaving);
            if (bandwidth > 0) bound = std::max(bound, static_cast<double>(bytes) / bandwidth);
        }
    }
    return bound;
}

}  // namespace gemmill
