// SPDX-License-Identifier: Apache-2.0
#include "backend/gpu/resources.hpp"

#include <fmt/format.h>

#include "machine/load/assumed.hpp"

namespace gemmill {

GpuRoom room_of(const Machine& machine, const Device& device) {
    const Chip& chip = chip_with_room(machine, device);
    return {static_cast<std::size_t>(chip.workspace), static_cast<std::size_t>(chip.scratch)};
}

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

void LostGpus::add(int gpu) {
    const std::lock_guard lock(mutex_);
    gpus_.insert(gpu);
    any_ = true;
}

bool LostGpus::has(int gpu) const noexcept {
    if (!any_) return false;
    const std::lock_guard lock(mutex_);
    return gpus_.contains(gpu);
}

Lanes::~Lanes() {
    for (auto& [key, lane] : lanes_) {
        if (lane.blas != nullptr) driver_.close_blas(lane.blas);
        driver_.close_stream(lane.stream);
    }
}

const Lane& Lanes::open(const Key& key, int device, bool urgent, const GpuRoom& room) {
    const std::lock_guard lock(mutex_);
    const auto [found, added] = lanes_.try_emplace(key);
    Lane& lane = found->second;
    if (!added) return lane;
    const Use use = std::get<0>(key);
    const bool computes = use == Use::compute || use == Use::urgent;
    Lane made{device, nullptr, nullptr};
    int fault = driver_.open_stream(device, urgent, &made.stream);
    if (fault == 0 && computes) fault = driver_.open_blas(made.stream, room, &made.blas);
    if (fault != 0) {
        lanes_.erase(found);
        if (made.stream != nullptr) driver_.close_stream(made.stream);
        require_ok(driver_, fault, "open a stream");
    }
    return lane = made;
}

std::vector<Lane> Lanes::of(const Plan& plan, const std::vector<int>& ordinals, int session) {
    std::map<std::tuple<QueueKind, int, bool>, int> used;
    std::vector<Lane> lanes;
    const auto ordinal = [&](MemoryId memory) {
        return ordinals[static_cast<std::size_t>(memory)];
    };
    for (const Queue& queue : plan.queues) {
        const auto index = static_cast<std::size_t>(queue.index);
        const int nth = used[{queue.kind, queue.index, queue.urgent}]++;
        if (queue.kind == QueueKind::compute) {
            const Device& device = plan.machine.devices[index];
            const Use use = queue.urgent ? Use::urgent : Use::compute;
            lanes.push_back(open({use, queue.index, nth, session}, ordinal(device.memory),
                                 queue.urgent, room_of(plan.machine, device)));
            continue;
        }
        const Link& link = plan.machine.links[index];
        const int from = ordinal(link.from), to = ordinal(link.to);
        // A copy between two devices is pushed by the one that has the data.
        lanes.push_back(open({Use::copy, from, to, nth}, from >= 0 ? from : to, true));
    }
    return lanes;
}

GpuStream* Lanes::clock_of(int device) {
    return open({Use::clock, device, 0, 0}, device, true).stream;
}

}  // namespace gemmill
