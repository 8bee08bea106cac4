// SPDX-License-Identifier: Apache-2.0
#include "schedule/room.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "base/text.hpp"
#include "gemmill/error.hpp"
#include "plan/access.hpp"
#include "plan/build/builder.hpp"
#include "schedule/queue/rectangles.hpp"

namespace gemmill {
namespace {

/// Bytes of what tasks use.
struct Needs {
    std::int64_t largest_sum = 0, all_sums = 0;
    std::int64_t largest_input = 0, all_inputs = 0;
    std::int64_t targets = 0;  // of the inputs
};

class Rooms {
  public:
    Rooms(const Plan& plan, const Tasks& tasks, const ScheduleOptions& options)
        : plan_(plan),
          tasks_(tasks),
          options_(options),
          input_(plan.tiles.size()),
          alone_(is_alone(plan, tasks)) {
        for (const Step& term : tasks.terms)
            for (const Ref& in : term.in)
                if (in.tile >= 0) input_[static_cast<std::size_t>(whole_of(tasks, in))] = true;
        elsewhere_ = count_needs(-1);
    }

    std::vector<Zones> zones() const {
        std::vector<Zones> all(plan_.machine.memories.size());
        std::vector<MemoryId> computing;
        for (const DeviceId d : plan_.devices)
            if (use_of(plan_, tasks_, d) == CpuUse::tasks &&
                std::ranges::find(computing, device(d).memory) == computing.end())
                computing.push_back(device(d).memory);
        for (const MemoryId m : computing) all[static_cast<std::size_t>(m)] = split(m);
        const MemoryId host = relay_memory(plan_.machine);
        // Also beside the tiles of a CPU that computes there.
        if (host >= 0 && passes_through(computing)) {
            const Needs& needs = elsewhere_;
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

    /// Whether nobody else takes tasks: a CPU beside it may take rectangles of them.
    bool alone() const { return alone_; }

    /// Where no operand lives needs are the same everywhere.
    Needs needs_in(MemoryId memory) const {
        const bool home =
            std::ranges::find(plan_.operands, memory, &Operand::home) != plan_.operands.end();
        return home ? count_needs(memory) : elsewhere_;
    }

    Needs count_needs(MemoryId memory) const {
        Needs needs;
        for (std::size_t i = 0; i < plan_.tiles.size(); ++i) {
            const Tile& t = plan_.tiles[i];
            const Operand& of = operand_of(plan_, t);
            const std::int64_t bytes = slot_bytes(t.rows, t.cols, of.type, plan_.grain);
            if (input_[i] && of.home != memory) {
                needs.largest_input = std::max(needs.largest_input, bytes);
                needs.all_inputs += bytes;
                if (t.operand == plan_.goal.target) needs.targets += bytes;
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
        // What passes through may leave free what is there in parts.
        needs.all_inputs = std::max(needs.all_inputs, least_inputs(needs));
        return needs;
    }

    static constexpr std::int64_t least_sums = 3;  // one is computed, one is written, one begins
    /// Two inputs, wherever the first of them lies.
    static std::int64_t least_inputs(const Needs& needs) { return 3 * needs.largest_input; }

    /// So that none of the room is lost.
    static std::int64_t whole_sums(const Needs& needs, std::int64_t room) {
        return needs.largest_sum > 0 ? room - room % needs.largest_sum : room;
    }

    /// What a square of so many targets reads, for a term and for the next one.
    static std::int64_t inputs_for(const Needs& needs, std::int64_t sums) {
        const auto edges = static_cast<std::int64_t>(std::ceil(2 * std::sqrt(sums)));
        return std::max(least_inputs(needs), 2 * edges * needs.largest_input);
    }

    /// Products along k of the first task, and the edge of a square of so many targets like its
    /// own.
    double length_of_terms() const {
        double k = 0;
        for (const Step& term : terms_of(tasks_, tasks_.tasks.front()))
            if (term.in[0].tile >= 0) k += static_cast<double>(k_span(plan_, term).count);
        return k;
    }
    double edge_of(std::int64_t sums) const {
        const Tile& t = plan_.tiles[static_cast<std::size_t>(tasks_.tasks.front().target)];
        return std::sqrt(static_cast<double>(sums * t.rows * t.cols));
    }

    /// Where inputs must come again, as many sums as leave room for what they read: the more there
    /// are, the more terms an input serves each time that it comes. A block begins when the one
    /// before is written, which is most of its time where its targets are larger than k is long.
    std::optional<Zones> with_blocks(MemoryId m, const Needs& needs, std::int64_t olds) const {
        const std::int64_t room = limit(m) - olds,
                           sum = std::max(needs.largest_sum, slot_alignment);
        std::int64_t count =
            std::min<std::int64_t>(most_begun, std::min(room, needs.all_sums + sum - 1) / sum);
        while (count > 0 && count * sum + inputs_for(needs, count) > room) --count;
        if (count < least_sums || length_of_terms() < edge_of(count)) return std::nullopt;
        const std::int64_t inputs = std::min(needs.all_inputs, room - count * sum);
        return Zones{count * sum,       inputs,        olds,
                     needs.largest_sum, Reuse::blocks, static_cast<int>(count)};
    }

    /// What two lines of targets that follow each other read, at most: columns, or rows.
    std::int64_t lines_bytes(MemoryId m, bool columns) const {
        std::vector<std::pair<index_t, TileId>> reads;  // line and tile
        for (const Tasks::Task& task : tasks_.tasks)
            for (const Step& term : terms_of(tasks_, task))
                for (const Ref& in : term.in)
                    if (in.tile >= 0)
                        reads.emplace_back(columns ? task.col : task.row, whole_of(tasks_, in));
        std::ranges::sort(reads);
        reads.erase(std::unique(reads.begin(), reads.end()), reads.end());
        std::vector<index_t> last(plan_.tiles.size(), -2);  // line that read it
        std::vector<std::int64_t> bytes;                    // by line: what it and the next read
        for (const auto& [line, tile] : reads) {
            const Tile& t = plan_.tiles[static_cast<std::size_t>(tile)];
            if (operand_of(plan_, t).home == m) continue;
            if (bytes.size() < static_cast<std::size_t>(line) + 1)
                bytes.resize(static_cast<std::size_t>(line) + 1);
            const std::int64_t slot =
                slot_bytes(t.rows, t.cols, operand_of(plan_, t).type, plan_.grain);
            bytes[static_cast<std::size_t>(line)] += slot;
            if (line > 0 && last[static_cast<std::size_t>(tile)] != line - 1)
                bytes[static_cast<std::size_t>(line) - 1] += slot;
            last[static_cast<std::size_t>(tile)] = line;
        }
        return bytes.empty() ? 0 : *std::ranges::max_element(bytes);
    }

    /// Where what all lines read can stay, it comes once.
    std::optional<Zones> with_lines(MemoryId m, const Needs& needs, std::int64_t sums,
                                    std::int64_t olds) const {
        for (const Reuse reuse : {Reuse::columns, Reuse::rows}) {
            const std::int64_t room = limit(m) - olds - lines_bytes(m, reuse == Reuse::columns);
            if (room < least_sums * needs.largest_sum) continue;
            const std::int64_t taken = whole_sums(needs, std::min(sums, room));
            return Zones{taken, std::min(needs.all_inputs, limit(m) - olds - taken), olds,
                         needs.largest_sum, reuse};
        }
        return std::nullopt;
    }

    /// Slots of the targets of the longest chain, and how many chains there are.
    struct Chains {
        std::int64_t bytes = 0, count = 0;
    };
    Chains chains() const {
        std::map<TaskId, std::int64_t> bytes;
        for (TaskId t = 0; t < std::ssize(tasks_.tasks); ++t) {
            const Tile& tile = plan_.tiles[static_cast<std::size_t>(
                tasks_.tasks[static_cast<std::size_t>(t)].target)];
            bytes[chain_of(tasks_, t)] +=
                slot_bytes(tile.rows, tile.cols, operand_of(plan_, tile).type, plan_.grain);
        }
        Chains chains{0, std::ssize(bytes)};
        for (const auto& [first, sum] : bytes) chains.bytes = std::max(chains.bytes, sum);
        return chains;
    }

    /// Where there is room for all of A and for two chains A comes once; else it comes for as many
    /// chains at a time as there is room for. New tiles that are read stay in the room of sums, old
    /// ones in that of inputs, with a sum for each chain.
    std::optional<Zones> with_chains(MemoryId m, const Needs& needs, std::int64_t olds) const {
        const Chains all = chains();
        const bool solves = tasks_.goal.solves;
        const std::int64_t a = std::max(needs.all_inputs - needs.targets, least_inputs(needs));
        const std::int64_t spare = (solves ? 0 : least_sums) * needs.largest_sum;
        const std::int64_t each = all.bytes + (solves ? 0 : needs.largest_sum);
        for (const std::int64_t inputs : {a, 2 * least_inputs(needs)}) {
            const std::int64_t room = limit(m) - olds - spare - inputs;
            const std::int64_t count = std::min(std::max<std::int64_t>(0, room) / each, all.count);
            if (count < 2) continue;
            const std::int64_t sums =
                solves ? count * all.bytes : spare + count * needs.largest_sum;
            const int together = solves || inputs < a ? static_cast<int>(count) : 1;
            return Zones{sums,          std::min(needs.all_inputs, limit(m) - olds - sums),
                         olds,          needs.largest_sum,
                         Reuse::chains, together};
        }
        return std::nullopt;
    }

    /// A third for sums and a few old targets, where the sums are more.
    std::optional<Zones> third_with_olds(MemoryId m, const Needs& needs, std::int64_t sums,
                                         std::int64_t olds) const {
        sums = whole_sums(needs, std::min(sums, limit(m) / 3 - olds));
        const std::int64_t rest = limit(m) - sums - olds;
        if (olds == 0 || sums < 2 * olds || rest < least_inputs(needs)) return std::nullopt;
        return Zones{sums, std::min(needs.all_inputs, rest), olds, needs.largest_sum};
    }

    /// A device that is alone may begin more tasks while tiles come.
    std::int64_t with_more_sums(MemoryId m, const Needs& needs, std::int64_t sums,
                                std::int64_t olds) const {
        if (!alone()) return sums;
        const std::int64_t room = limit(m) - needs.all_inputs - olds;
        return std::max(sums, whole_sums(needs, std::min(needs.all_sums, room)));
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
        // A single product of a device that is alone waits for nothing else than its inputs: to add
        // the old value after it would only take time.
        const bool single = alone() && tasks_.terms.size() == tasks_.tasks.size();
        const std::int64_t late =
            at_home || single ? 0 : workers * options_.active * needs.largest_sum;
        // One comes while another is added.
        const std::int64_t few = std::min(late, 2 * workers * needs.largest_sum);
        // New tiles that all stay are read where they were made by a device that is alone.
        const bool stay = alone() && tasks_.goal.solves && options_.keep_new && options_.l1;
        const std::int64_t inputs = needs.all_inputs - (stay ? needs.targets : 0);
        // Old tiles that are read can be overwritten chain by chain.
        const bool by_chain = alone() && !tasks_.others.empty() && !tasks_.goal.solves;
        const Reuse reuse = by_chain ? Reuse::chains : Reuse::all;
        for (const std::int64_t olds : {late, few})
            if (sums + inputs + olds <= limit(m))
                return {with_more_sums(m, needs, sums, olds),
                        inputs,
                        olds,
                        needs.largest_sum,
                        reuse,
                        by_chain ? 1 : 0};
        if (sums + inputs <= limit(m)) return {sums, inputs, 0, 0, reuse, by_chain ? 1 : 0};
        if (alone() && tasks_.others.empty())
            for (const std::int64_t olds : {few, std::int64_t{0}}) {
                if (const auto zones = with_lines(m, needs, sums, olds)) return *zones;
                if (const auto zones = with_blocks(m, needs, olds)) return *zones;
            }
        if (alone() && !tasks_.others.empty())
            for (const std::int64_t olds : {few, std::int64_t{0}})
                if (const auto zones = with_chains(m, needs, olds)) return *zones;
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

    bool passes_through(const std::vector<MemoryId>& computing) const {
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
    const bool alone_;
    Needs elsewhere_;  // in a memory where no operand lives
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
