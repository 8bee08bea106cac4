// SPDX-License-Identifier: Apache-2.0
// Looking things up in a machine.
#include "gemmill/machine.hpp"

#include <algorithm>
#include <charconv>

namespace gemmill {
namespace {

template <class Things>
std::int32_t find_name(const Things& things, std::string_view name) noexcept {
    for (std::size_t i = 0; i < things.size(); ++i)
        if (things[i].name == name) return static_cast<std::int32_t>(i);
    return -1;
}

MemoryId first_host(const Machine& machine) noexcept {
    const auto& all = machine.memories;
    const auto host = std::ranges::find(all, MemoryKind::host, &Memory::kind);
    return host == all.end() ? -1 : static_cast<MemoryId>(host - all.begin());
}

}  // namespace

LinkId find_link(const Machine& machine, MemoryId from, MemoryId to) noexcept {
    const auto& links = machine.links;
    for (std::size_t i = 0; i < links.size(); ++i)
        if (links[i].from == from && links[i].to == to) return static_cast<LinkId>(i);
    return -1;
}

MemoryId find_memory(const Machine& machine, std::string_view name) noexcept {
    if (const MemoryId id = find_name(machine.memories, name); id >= 0) return id;
    if (name == "h" || name == "host") return first_host(machine);
    std::size_t device = 0;
    const char* const end = name.data() + name.size();
    const auto [stop, error] = std::from_chars(name.data(), end, device);
    if (error != std::errc{} || stop != end || device >= machine.devices.size()) return -1;
    return machine.devices[device].memory;
}

DeviceId find_device(const Machine& machine, std::string_view name) noexcept {
    return find_name(machine.devices, name);
}

}  // namespace gemmill
