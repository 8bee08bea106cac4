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

std::int64_t least_memory(const Machine& machine) {
    std::int64_t least = 0;
    for (const Device& device : machine.devices) {
        const std::int64_t bytes =
            machine.memories[static_cast<std::size_t>(device.memory)].capacity;
        least = least == 0 ? bytes : std::min(least, bytes);
    }
    return least;
}

}  // namespace

Options options_of_rank(Options options, const Machine& machine, const NodePlace& place) {
    const auto gpus = static_cast<int>(machine.devices.size());
    if (gpus == 0 || place.ranks == 1 || options.devices.starts_with("cpu")) return options;
    int sharers = place.ranks;
    if (is_for_any_gpu(options.devices)) {
        options.devices = turn_of(place, gpus);
        sharers = (place.ranks + gpus - 1) / gpus;
    }
    if (options.device_memory == 0 && sharers > 1)
        options.device_memory = least_memory(machine) / sharers;
    return options;
}

}  // namespace gemmill
