// SPDX-License-Identifier: Apache-2.0
#include "schedule/room.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "base/text.hpp"
#include "gemmill/error.hpp"
#include "plan/access.hpp"
#include "plan/build/builder.hpp"
#include "schedule/rectangles.hpp"

namespace gemmill {
namespace {

/// Bytes of what tasks use.
struct Needs {
    std::int64_t largest_sum = 0, all_sums = 0;
    std::int64_t largest_input = 0, all_inputs = 0;
};

class Rooms {
  public:
    Rooms(const Plan& plan, const Tasks& tasks, const ScheduleOptions& options)
        : plan_(plan), tasks_(tasks), options_(options), input_(plan.tiles.size()) {
        for (const Step& term : tasks.terms)
            for (const Ref& in : term.in)
                if (in.tile >= 0) input_[static_cast<std::size_t>(in.tile)] = true;
    }

    std::vector<Zones> zones() const {
        std::vector<Zones> all(plan_.machine.memories.size());
        std::set<MemoryId> computing;
        for (const DeviceId d : plan_.devices)
            if (use_of(plan_, tasks_, d) == CpuUse::tasks) computing.insert(device(d).memory);
        for (const MemoryId m : computing) all[static_cast<std::size_t>(m)] = split(m);
        const MemoryId host = relay_memory(plan_.machine);
        // Also beside the tiles of a CPU that computes there.
        if (host >= 0 && passes_through(computing)) {
            const Needs needs = needs_in(-1);
            Zones& zones = all[static_cast<std::size_t>(host)];
            const std::int64_t room = limit(host) - zones.sums - zones.olds;
            zones.inputs = std::min(room, zones.inputs + needs.all_inputs + needs.all_sums);
        }
        return all;
    }

  private:
    const Device& device(DeviceId d) const {
        return plan_.machine.devices[static_cast<std::size_t>(d)];
    }
    /// Whole slots, so that each zone begins where a slot may.
    std::int64_t limit(MemoryId m) const {
        const std::int64_t bytes = plan_.limit[static_cast<std::size_t>(m)];
        return bytes - bytes % slot_alignment;
    }

    Needs needs_in(MemoryId memory) const {
        Needs needs;
        for (std::size_t i = 0; i < plan_.tiles.size(); ++i) {
            const Tile& t = plan_.tiles[i];
            const Operand& of = operand_of(plan_, t);
            const std::int64_t bytes = slot_bytes(t.rows, t.cols, of.type, plan_.grain);
            if (input_[i] && of.home != memory) {
                needs.largest_input = std::max(needs.largest_input, bytes);
                needs.all_inputs += bytes;
            }
        }
        for (const Tasks::Task& task : tasks_.tasks) {
            const Tile& t = plan_.tiles[static_cast<std::size_t>(task.target)];
            const std::int64_t bytes =
                slot_bytes(t.rows, t.cols, operand_of(plan_, t).type, plan_.grain);
            if (task.terms.count == 1 && operand_of(plan_, t).home == memory) continue;
            needs.largest_sum = std::max(needs.largest_sum, bytes);
            needs.all_sums += bytes;
        }
        // New tiles of the target are read where they were made, and come as copies elsewhere.
        return needs;
    }

    /// Two inputs, wherever the first of them lies.
    static std::int64_t least_inputs(const Needs& needs) { return 3 * needs.largest_input; }

    /// So that none of the room is lost.
    static std::int64_t whole_sums(const Needs& needs, std::int64_t room) {
        return needs.largest_sum > 0 ? room - room % needs.largest_sum : room;
    }

    /// A third for sums and a few old targets, where the sums are more.
    std::optional<Zones> third_with_olds(MemoryId m, const Needs& needs, std::int64_t sums,
                                         std::int64_t olds) const {
        sums = whole_sums(needs, std::min(sums, limit(m) / 3 - olds));
        const std::int64_t rest = limit(m) - sums - olds;
        if (olds == 0 || sums < 2 * olds || rest < least_inputs(needs)) return std::nullopt;
        return Zones{sums, std::min(needs.all_inputs, rest), olds, needs.largest_sum};
    }

    Zones split(MemoryId m) const {
        const Needs needs = needs_in(m);
        const auto same = [&](DeviceId d) { return device(d).memory == m; };
        const std::int64_t workers = std::ranges::count_if(plan_.devices, same);
        // Each task that has begun, and as many that wait to be written.
        std::int64_t sums = 2 * workers * options_.active * needs.largest_sum;
        if (tasks_.goal.solves && options_.keep_new) sums = needs.all_sums;
        sums = std::min(sums, needs.all_sums);
        const bool at_home = target_of(plan_).home == m;
        const std::int64_t late = at_home ? 0 : workers * options_.active * needs.largest_sum;
        // One comes while another is added.
        const std::int64_t few = std::min(late, 2 * workers * needs.largest_sum);
        for (const std::int64_t olds : {late, few})
            if (sums + needs.all_inputs + olds <= limit(m))
                return {sums, needs.all_inputs, olds, needs.largest_sum};
        if (sums + needs.all_inputs <= limit(m)) return {sums, needs.all_inputs};
        if (const auto zones = third_with_olds(m, needs, sums, few)) return *zones;
        // Short of memory a third is for sums: a term has two inputs beside each.
        sums = std::min(sums, std::max(limit(m) / 3, needs.largest_sum));
        sums = std::min(sums, limit(m) - least_inputs(needs));
        require(sums >= needs.largest_sum, Code::out_of_memory, "room for a few tiles",
                fmt::format("{} of {} do not hold the tiles of one step",
                            human_bytes(static_cast<double>(limit(m))),
                            plan_.machine.memories[static_cast<std::size_t>(m)].name));
        sums = whole_sums(needs, sums);
        return {sums, std::min(needs.all_inputs, limit(m) - sums)};
    }

    bool passes_through(const std::set<MemoryId>& computing) const {
        const MemoryId target = target_of(plan_).home;
        const auto lacks = [&](MemoryId m) {
            const auto unlinked = [&](const Operand& of) {
                return of.home != m && is_read(plan_.goal, id_of(of)) &&
                       find_link(plan_.machine, of.home, m) < 0;
            };
            return std::ranges::any_of(plan_.operands, unlinked) ||
                   find_link(plan_.machine, m, target) < 0;
        };
        return std::ranges::any_of(computing, lacks);
    }
    OperandId id_of(const Operand& of) const {
        return static_cast<OperandId>(&of - plan_.operands.data());
    }

    const Plan& plan_;
    const Tasks& tasks_;
    const ScheduleOptions& options_;
    std::vector<bool> input_;  // by tile
};

}  // namespace

std::vector<Zones> zones_of(const Plan& plan, const Tasks& tasks, const ScheduleOptions& options) {
    return Rooms(plan, tasks, options).zones();
}

MemoryId relay_memory(const Machine& machine) {
    const auto host = std::ranges::find(machine.memories, MemoryKind::host, &Memory::kind);
    if (host == machine.memories.end()) return -1;
    return static_cast<MemoryId>(host - machine.memories.begin());
}

}  // namespace gemmill
