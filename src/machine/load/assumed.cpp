// SPDX-License-Identifier: Apache-2.0
#include "machine/load/assumed.hpp"

#include <algorithm>
#include <string_view>

#include "machine/assumed_data.hpp"
#include "machine/chips.hpp"

namespace gemmill {
namespace {

Machine read(std::string_view name) {
    const auto row =
        std::ranges::find(assumed_data, name, &decltype(assumed_data)::value_type::first);
    return parse_machine(row->second);
}

}  // namespace

const Machine& assumed_node() {
    static const Machine machine = read("node");
    return machine;
}

const Machine& assumed_core() {
    static const Machine machine = read("core");
    return machine;
}

const Link& assumed_link(const Machine& machine, const char* from, const char* to) {
    const LinkId id = find_link(machine, find_memory(machine, from), find_memory(machine, to));
    return machine.links[static_cast<std::size_t>(id)];
}

const Chip& chip_with_room(const Machine& machine, const Device& device) {
    if (device.chip >= 0) {
        const Chip& own = machine.chips[static_cast<std::size_t>(device.chip)];
        if (own.reserve > 0) return own;
    }
    return *known_chip("gpu");
}

}  // namespace gemmill
