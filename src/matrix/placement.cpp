// SPDX-License-Identifier: Apache-2.0
#include "matrix/placement.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "gemmill/error.hpp"

namespace gemmill {

Placement parse_placement(const Machine& machine, std::string_view text) {
    std::vector<std::string> words = split(text, ',');
    if (words.size() == 1) words.resize(3, words.front());
    require(words.size() == 3, Code::bad_argument, "one place, or three for A, B and C",
            fmt::format("placement {}", shown(text)));
    Placement placement{};
    for (std::size_t i = 0; i < 3; ++i) {
        placement[i] = find_memory(machine, words[i]);
        require(placement[i] >= 0, Code::bad_argument, "h, a device number or a memory's name",
                fmt::format("placement {}: machine {} has no memory {}", shown(text), machine.name,
                            shown(words[i])));
    }
    return placement;
}

std::string to_text(const Machine& machine, const Placement& placement) {
    std::vector<std::string> names;
    for (const MemoryId m : placement)
        names.push_back(machine.memories[static_cast<std::size_t>(m)].name);
    return join(names, ",");
}

}  // namespace gemmill
