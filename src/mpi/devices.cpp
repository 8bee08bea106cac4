// SPDX-License-Identifier: Apache-2.0
#include "mpi/devices.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gemmill {
namespace {

bool is_for_any_gpu(const std::string& devices) { return devices == "auto" || devices == "cuda"; }

/// "cuda:1,3": those of `gpus` that are this rank's turn.
std::string turn_of(const NodePlace& place, int gpus) {
    std::string names;
    for (int gpu = place.rank % gpus; gpu < gpus; gpu += place.ranks)
        names += fmt::format("{}{}", names.empty() ? "cuda:" : ",", gpu);
    return names;
}

/// Memories of devices that are not the host itself.
std::vector<std::int64_t> gpu_memories(const Machine& machine) {
    std::vector<std::int64_t> bytes;
    for (const Device& device : machine.devices) {
        const Memory& memory = machine.memories[static_cast<std::size_t>(device.memory)];
        if (memory.kind == MemoryKind::device) bytes.push_back(memory.capacity);
    }
    return bytes;
}

}  // namespace

Options options_of_rank(Options options, const Machine& machine, const NodePlace& place) {
    const std::vector<std::int64_t> memories = gpu_memories(machine);
    const auto gpus = static_cast<int>(memories.size());
    if (gpus == 0 || place.ranks == 1 || options.devices.starts_with("cpu")) return options;
    int sharers = place.ranks;
    if (is_for_any_gpu(options.devices)) {
        options.devices = turn_of(place, gpus);
        sharers = (place.ranks + gpus - 1) / gpus;
    }
    if (options.device_memory == 0 && sharers > 1)
        options.device_memory = std::ranges::min(memories) / sharers;
    return options;
}

RankDevices devices_of_rank(const Options& options, const Machine& machine,
                            const NodePlace& place) {
    RankDevices result{options_of_rank(options, machine, place)};
    const std::vector<std::int64_t> memories = gpu_memories(machine);
    const bool chosen = result.options.devices != options.devices;
    const auto commas = std::ranges::count(result.options.devices, ',');
    if (chosen ? commas > 0 : memories.size() != 1) return result;
    std::int64_t all = std::ranges::min(memories);
    if (result.options.device_memory > 0) all = std::min(all, result.options.device_memory);
    result.sums = all / 4 * 3;
    result.options.device_memory = all - result.sums;
    return result;
}

}  // namespace gemmill
