// SPDX-License-Identifier: Apache-2.0
#include "plan/text/machine_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <optional>

#include "plan/text/fields.hpp"

namespace gemmill {
namespace {

/// Whether a name can stand in lists such as at=host,gpu0 and link=host:gpu0.
bool is_plain(std::string_view name) {
    const auto good = [](unsigned char c) {
        return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.';
    };
    return !name.empty() && std::ranges::all_of(name, good);
}

std::string numbered(std::int32_t id) { return fmt::format("[{}]", id); }

std::string at(const std::vector<std::string>& names, std::int32_t id) {
    return id >= 0 && id < std::ssize(names) ? names[id] : numbered(id);
}

/// The number in "[3]", or nothing.
std::optional<std::int32_t> number_in(const Record& record, std::string_view text,
                                      std::size_t count) {
    if (text.size() < 3 || text.front() != '[' || text.back() != ']') return {};
    return index_below(record, text.substr(1, text.size() - 2), static_cast<std::int64_t>(count));
}

std::int32_t found(const Record& record, std::string_view text, std::int32_t id) {
    if (id < 0) fail(record, fmt::format("the machine has no {}", shown(text)));
    return id;
}

}  // namespace

MachineNames::MachineNames(const Machine& machine) {
    for (MemoryId id = 0; const Memory& memory : machine.memories) {
        const bool good = is_plain(memory.name) && find_memory(machine, memory.name) == id;
        memories_.push_back(good ? memory.name : numbered(id));
        ++id;
    }
    for (DeviceId id = 0; const Device& device : machine.devices) {
        const bool good = is_plain(device.name) && find_device(machine, device.name) == id;
        devices_.push_back(good ? device.name : numbered(id));
        ++id;
    }
    const LinkTable links = links_of(machine);
    for (LinkId id = 0; const Link& link : machine.links) {
        const bool good = links.at({link.from, link.to}) == id;
        links_.push_back(good ? memory(link.from) + ':' + memory(link.to) : numbered(id));
        ++id;
    }
}

std::string MachineNames::memory(MemoryId id) const { return at(memories_, id); }
std::string MachineNames::device(DeviceId id) const { return at(devices_, id); }
std::string MachineNames::link(LinkId id) const { return at(links_, id); }

LinkTable links_of(const Machine& machine) {
    LinkTable links;
    for (LinkId id = 0; const Link& link : machine.links)
        links.emplace(std::pair{link.from, link.to}, id++);
    return links;
}

MemoryId parse_memory(const Machine& machine, const Record& record, std::string_view text) {
    if (const auto id = number_in(record, text, machine.memories.size())) return *id;
    return found(record, text, find_memory(machine, text));
}

DeviceId parse_device(const Machine& machine, const Record& record, std::string_view text) {
    if (const auto id = number_in(record, text, machine.devices.size())) return *id;
    return found(record, text, find_device(machine, text));
}

LinkId parse_link(const Machine& machine, const LinkTable& links, const Record& record,
                  std::string_view text) {
    // "[0]:[1]" names two memories by number, "[1]" a link.
    if (text.find(':') == std::string_view::npos)
        if (const auto id = number_in(record, text, machine.links.size())) return *id;
    const auto [from, to] = halves(record, text, ":");
    const MemoryId source = parse_memory(machine, record, from);
    const MemoryId target = parse_memory(machine, record, to);
    const auto link = links.find({source, target});
    return found(record, text, link == links.end() ? -1 : link->second);
}

}  // namespace gemmill
