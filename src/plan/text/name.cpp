// SPDX-License-Identifier: Apache-2.0
// Names for people: tiles, queues, steps, goals.
#include <fmt/format.h>

#include <iterator>

#include "gemmill/plan.hpp"
#include "plan/access.hpp"
#include "plan/text/formula.hpp"
#include "plan/text/words.hpp"

namespace gemmill {
namespace {

/// A queue among its equals: which one it is, from 1, and how many there are.
struct Ordinal {
    int number = 1;
    int count = 0;
};

Ordinal ordinal_of(const Plan& plan, const Queue& queue) {
    Ordinal place;
    for (const Queue& other : plan.queues) {
        if (other.kind != queue.kind || other.index != queue.index) continue;
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

std::string name_of(const Plan& plan, const Tile& tile) {
    return fmt::format("{}[{}:{},{}:{}]", name_at(plan.operands, tile.operand), tile.row,
                       tile.row + tile.rows, tile.col, tile.col + tile.cols);
}

std::string name_of(const Plan& plan, const Queue& queue) {
    const Ordinal place = ordinal_of(plan, queue);
    const bool compute = queue.kind == QueueKind::compute;
    const std::string name = compute ? name_at(plan.machine.devices, queue.index) + " compute"
                                     : link_name(plan.machine, queue.index);
    if (place.count < 2) return name;
    return fmt::format("{} {}{}", name, compute ? "" : "#", place.number);
}

const char* name_of(Opcode op) noexcept { return info_of(op).name; }

std::string name_of(const Plan& plan, const Step& step) { return step_text(plan, step); }

std::string formula_of(const Plan& plan) {
    const std::string target = name_at(plan.operands, plan.goal.target);
    const Triangular of = triangular_of(plan);
    if (!plan.goal.solves || of.operand < 0)
        return fmt::format("{} = {}", target, sum_of(plan, plan.goal));
    const std::string inverse =
        fmt::format("{}{}^-1", operand_of(plan, of.operand).name, suffix_of(of.op));
    SumText sum;
    sum.add(plan.goal.keep, of.left ? inverse + " " + target : target + " " + inverse);
    return fmt::format("{} = {}", target, sum.take());
}

}  // namespace gemmill
