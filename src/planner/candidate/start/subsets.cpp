// SPDX-License-Identifier: Apache-2.0
#include "planner/candidate/start/subsets.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <span>
#include <tuple>

#include "machine/sharing.hpp"
#include "planner/split/decompose.hpp"

namespace gemmill {
namespace {

/// Links from host memory, by device.
std::vector<std::vector<LinkId>> host_links(const Draft& frame, std::span<const DeviceId> devices) {
    std::vector<std::vector<LinkId>> all;
    for (const DeviceId d : devices) {
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

/// These devices: those where operands live first, then whoever adds most to what
/// all before get from the host together, then the fastest.
std::vector<DeviceId> ranking(const Draft& frame, std::span<const DeviceId> devices) {
    const std::vector<std::vector<LinkId>> links = host_links(frame, devices);
    std::vector<LinkId> used;
    const auto score = [&](std::size_t i) {
        const DeviceId d = devices[i];
        std::vector<LinkId> with = used;
        with.insert(with.end(), links[i].begin(), links[i].end());
        return std::tuple(std::ranges::count(frame.problem.home, device_memory(frame.machine, d)),
                          aggregate_bandwidth(frame.machine, with),
                          rate_of(frame.machine, frame.problem, d));
    };
    std::vector<DeviceId> picked;
    std::vector<std::size_t> left(devices.size());
    std::iota(left.begin(), left.end(), std::size_t{0});
    while (!left.empty()) {
        std::vector<decltype(score(0))> scores;
        for (const std::size_t i : left) scores.push_back(score(i));
        const auto best = left.begin() + (std::ranges::max_element(scores) - scores.begin());
        picked.push_back(devices[*best]);
        used.insert(used.end(), links[*best].begin(), links[*best].end());
        left.erase(best);
    }
    return picked;
}

/// How many of these devices together get nearly all that the host's links carry: further ones add
/// less than half of what each of those before them has, because they share a switch with one.
std::size_t knee_of(const Draft& frame, std::span<const DeviceId> ranked) {
    std::vector<LinkId> used;
    double before = 0;
    for (std::size_t i = 0; const std::vector<LinkId>& links : host_links(frame, ranked)) {
        used.insert(used.end(), links.begin(), links.end());
        const double together = aggregate_bandwidth(frame.machine, used);
        if (i > 0 && together - before < before / static_cast<double>(2 * i)) return i;
        before = together, ++i;
    }
    return ranked.size();
}

std::vector<DeviceId> first_of(std::span<const DeviceId> ranked, std::size_t count) {
    std::vector<DeviceId> devices(ranked.begin(),
                                  ranked.begin() + static_cast<std::ptrdiff_t>(count));
    std::ranges::sort(devices);
    return devices;
}

}  // namespace

std::vector<DeviceId> pick_devices(const Draft& frame, std::size_t count) {
    if (count == frame.devices.size()) return first_of(frame.devices, count);
    return first_of(ranking(frame, frame.devices), count);
}

std::vector<std::vector<DeviceId>> halves_of(const Draft& frame) {
    std::vector<std::vector<DeviceId>> all;
    const auto add = [&](std::vector<DeviceId> some) {
        if (std::ranges::find(all, some) == all.end()) all.push_back(std::move(some));
    };
    const std::vector<DeviceId> ranked = ranking(frame, frame.devices);
    for (std::size_t some = ranked.size() / 2; some >= 1; some /= 2) add(first_of(ranked, some));
    add(first_of(ranked, knee_of(frame, ranked)));
    std::erase(all, frame.devices);
    std::ranges::stable_sort(all, std::greater<>(), &std::vector<DeviceId>::size);
    return all;
}

std::vector<std::vector<DeviceId>> others_than_halves(const Draft& frame) {
    std::vector<std::vector<DeviceId>> all;
    const std::size_t count = frame.devices.size();
    if (count < 3) return all;
    const std::vector<DeviceId> ranked = ranking(frame, frame.devices);
    std::size_t half = count / 2;
    for (std::size_t some = count - 1; some > 1; --some) {
        if (some == half)
            half /= 2;
        else
            all.push_back(first_of(ranked, some));
    }
    return all;
}

}  // namespace gemmill
