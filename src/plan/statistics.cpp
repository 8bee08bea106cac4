// SPDX-License-Identifier: Apache-2.0
#include "gemmill/plan.hpp"
#include "machine/reach.hpp"
#include "plan/access.hpp"
#include "plan/bound.hpp"

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

}  // namespace gemmill
