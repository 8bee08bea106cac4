// SPDX-License-Identifier: Apache-2.0
// Names for people: tiles, queues, kinds of step.
#include <fmt/format.h>

#include <iterator>

#include "gemmill/plan.hpp"
#include "plan/words.hpp"

namespace gemmill {
namespace {

/// A queue among its equals: which one it is, from 1, and how many there are.
struct Place {
    int number = 1;
    int count = 0;
};

Place place_of(const Plan& plan, const Queue& queue) {
    Place place;
    for (const Queue& other : plan.queues) {
        if (other != queue) continue;
        ++place.count;
        if (&other == &queue) place.number = place.count;
    }
    return place;
}

template <class Part>
std::string name_at(const std::vector<Part>& parts, std::int32_t id) {
    return id >= 0 && id < std::ssize(parts) ? parts[id].name : fmt::format("[{}]", id);
}

std::string link_name(const Machine& machine, LinkId id) {
    if (id < 0 || id >= std::ssize(machine.links)) return fmt::format("link [{}]", id);
    const Link& link = machine.links[id];
    return name_at(machine.memories, link.from) + " -> " + name_at(machine.memories, link.to);
}

}  // namespace

std::string name_of(const Plan&, const Tile& tile) {
    return fmt::format("{}[{}:{},{}:{}]", word_of(operand_words, tile.operand), tile.row,
                       tile.row + tile.rows, tile.col, tile.col + tile.cols);
}

std::string name_of(const Plan& plan, const Queue& queue) {
    const Place place = place_of(plan, queue);
    const bool compute = queue.kind == QueueKind::compute;
    const std::string name = compute ? name_at(plan.machine.devices, queue.index) + " compute"
                                     : link_name(plan.machine, queue.index);
    if (place.count < 2) return name;
    return fmt::format("{} {}{}", name, compute ? "" : "#", place.number);
}

const char* name_of(StepKind kind) noexcept { return word_of(step_words, kind); }

}  // namespace gemmill
