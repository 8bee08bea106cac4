// SPDX-License-Identifier: Apache-2.0
#include "backend/joined/half.hpp"

namespace gemmill {
namespace {

template <class T>
void take_new(std::vector<T>& here, const std::vector<T>& there) {
    here.insert(here.end(), there.begin() + std::ssize(here), there.end());
}

}  // namespace

GpuHalf::GpuHalf(const Plan& whole, const Machine& gpus) {
    plan_.machine = gpus;
    plan_.operands = whole.operands;
    plan_.goal = whole.goal;
    plan_.policy = whole.policy;
    plan_.devices = whole.devices;
    plan_.slab = whole.slab;
    plan_.limit = whole.limit;
    plan_.grain = whole.grain;
    for (const Queue& queue : whole.queues) {
        const bool computes = queue.kind == QueueKind::compute;
        const std::size_t count = computes ? gpus.devices.size() : gpus.links.size();
        const bool cpu = static_cast<std::size_t>(queue.index) >= count;
        numbers_.push_back(cpu ? -1 : static_cast<QueueId>(plan_.queues.size()));
        if (!cpu) plan_.queues.push_back(queue);
    }
}

void GpuHalf::take(const Plan& whole, StepId id) {
    take_new(plan_.tiles, whole.tiles);
    take_new(plan_.buffers, whole.buffers);
    const auto i = static_cast<std::size_t>(id);
    if (i >= plan_.steps.size()) plan_.steps.resize(i + 1);
    Step& step = plan_.steps[i] = whole.steps[i];
    step.queue = numbers_[static_cast<std::size_t>(step.queue)];
    step.wait_begin = static_cast<std::int32_t>(plan_.waits.size());
    for (const StepId wait : waits_of(whole, whole.steps[i]))
        if (!is_cpu(whole.steps[static_cast<std::size_t>(wait)].queue)) plan_.waits.push_back(wait);
    step.wait_count = static_cast<std::int32_t>(plan_.waits.size()) - step.wait_begin;
}

}  // namespace gemmill
