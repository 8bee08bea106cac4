// SPDX-License-Identifier: Apache-2.0
#include "planner/search/subsets.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <tuple>

#include "machine/sharing.hpp"
#include "planner/split/decompose.hpp"

namespace gemmill {
namespace {

/// Links from host memory, by device of the frame.
std::vector<std::vector<LinkId>> host_links(const Draft& frame) {
    std::vector<std::vector<LinkId>> all;
    for (const DeviceId d : frame.devices) {
        all.emplace_back();
        for (std::size_t l = 0; l < frame.machine.links.size(); ++l) {
            const Link& link = frame.machine.links[l];
            const Memory& from = frame.machine.memories[static_cast<std::size_t>(link.from)];
            if (from.kind == MemoryKind::host && link.to == device_memory(frame.machine, d))
                all.back().push_back(static_cast<LinkId>(l));
        }
    }
    return all;
}

/// Places in the frame's devices: those where operands live first, then whoever adds most to what
/// all before get from the host together, then the fastest.
std::vector<std::size_t> ranking(const Draft& frame) {
    const std::vector<std::vector<LinkId>> links = host_links(frame);
    std::vector<LinkId> used;
    const auto score = [&](std::size_t i) {
        const DeviceId d = frame.devices[i];
        std::vector<LinkId> with = used;
        with.insert(with.end(), links[i].begin(), links[i].end());
        return std::tuple(std::ranges::count(frame.problem.home, device_memory(frame.machine, d)),
                          aggregate_bandwidth(frame.machine, with),
                          rate_of(frame.machine, frame.problem, d));
    };
    std::vector<std::size_t> left(frame.devices.size()), picked;
    std::iota(left.begin(), left.end(), std::size_t{0});
    while (!left.empty()) {
        const auto best = std::ranges::max_element(left, {}, score);
        picked.push_back(*best);
        used.insert(used.end(), links[*best].begin(), links[*best].end());
        left.erase(best);
    }
    return picked;
}

std::vector<DeviceId> first_of(const Draft& frame, std::span<const std::size_t> ranks) {
    std::vector<DeviceId> devices;
    for (const std::size_t i : ranks) devices.push_back(frame.devices[i]);
    std::ranges::sort(devices);
    return devices;
}

}  // namespace

std::vector<DeviceId> pick_devices(const Draft& frame, std::size_t count) {
    const std::vector<std::size_t> ranks = ranking(frame);
    return first_of(frame, std::span(ranks).first(count));
}

std::vector<std::vector<DeviceId>> halves_of(const Draft& frame) {
    std::vector<std::vector<DeviceId>> all;
    if (frame.devices.size() < 2) return all;
    const std::vector<std::size_t> ranks = ranking(frame);
    for (std::size_t some = frame.devices.size() / 2; some >= 1; some /= 2) {
        all.push_back(first_of(frame, std::span(ranks).first(some)));
        std::vector<DeviceId> first(frame.devices.begin(),
                                    frame.devices.begin() + static_cast<std::ptrdiff_t>(some));
        if (first != all.back()) all.push_back(std::move(first));
    }
    return all;
}

std::vector<std::vector<DeviceId>> others_than_halves(const Draft& frame) {
    std::vector<std::vector<DeviceId>> all;
    const std::size_t count = frame.devices.size();
    if (count < 3) return all;
    const std::vector<std::size_t> ranks = ranking(frame);
    std::size_t half = count / 2;
    for (std::size_t some = count - 1; some > 1; --some) {
        if (some == half)
            half /= 2;
        else
            all.push_back(first_of(frame, std::span(ranks).first(some)));
    }
    return all;
}

}  // namespace gemmill
