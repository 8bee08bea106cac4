// SPDX-License-Identifier: Apache-2.0
#include "backend/gpu/resources.hpp"

#include <fmt/format.h>

namespace gemmill {

Code code_of(const GpuDriver& driver, int fault) {
    switch (driver.fault(fault)) {
        case GpuFault::memory:
            return Code::out_of_memory;
        case GpuFault::lost:
            return Code::no_device;
        case GpuFault::call:
            break;
    }
    return Code::failed_step;
}

void require_ok(const GpuDriver& driver, int fault, const std::string& what) {
    if (fault == 0) return;
    throw Error(code_of(driver, fault),
                fmt::format("{}: {}: {}", driver.name, what, driver.words(fault)));
}

EventPool::~EventPool() {
    for (auto& [device, events] : free_)
        for (GpuEvent* event : events) driver_.close_event(event);
}

int EventPool::take(int device, GpuEvent** event) {
    {
        const std::lock_guard lock(mutex_);
        auto& free = free_[device];
        if (!free.empty()) {
            *event = free.back();
            free.pop_back();
            return 0;
        }
    }
    return driver_.open_event(device, sleeps_, event);
}

void EventPool::give(int device, GpuEvent* event) {
    const std::lock_guard lock(mutex_);
    free_[device].push_back(event);
}

Lanes::~Lanes() {
    for (auto& [key, lane] : lanes_) {
        if (lane.blas != nullptr) driver_.close_blas(lane.blas);
        driver_.close_stream(lane.stream);
    }
}

Lane& Lanes::open(const Key& key, int device, bool computes) {
    const auto [found, added] = lanes_.try_emplace(key);
    Lane& lane = found->second;
    if (!added) return lane;
    Lane made{device, nullptr, nullptr};
    int fault = driver_.open_stream(device, &made.stream);
    if (fault == 0 && computes) fault = driver_.open_blas(made.stream, &made.blas);
    if (fault != 0) {
        lanes_.erase(found);
        if (made.stream != nullptr) driver_.close_stream(made.stream);
        require_ok(driver_, fault, "open a stream");
    }
    return lane = made;
}

std::vector<Lane> Lanes::of(const Plan& plan, const std::vector<int>& ordinals) {
    std::map<std::pair<int, int>, int> used;
    std::vector<Lane> lanes;
    const auto ordinal = [&](MemoryId memory) {
        return ordinals[static_cast<std::size_t>(memory)];
    };
    for (const Queue& queue : plan.queues) {
        const bool computes = queue.kind == QueueKind::compute;
        const auto index = static_cast<std::size_t>(queue.index);
        // A copy between two devices is pushed by the one that has the data.
        int device = computes ? ordinal(plan.machine.devices[index].memory)
                              : ordinal(plan.machine.links[index].from);
        if (device < 0) device = ordinal(plan.machine.links[index].to);
        const int kind = static_cast<int>(queue.kind);
        const int nth = used[{kind, queue.index}]++;
        lanes.push_back(open({kind, queue.index, nth}, device, computes));
    }
    return lanes;
}

GpuStream* Lanes::clock_of(int device) { return open({-1, device, 0}, device, false).stream; }

}  // namespace gemmill
